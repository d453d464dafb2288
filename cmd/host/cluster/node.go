package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Node is a NATS server with JetStream. Addresses are host:port.
type Node struct {
	// Name is unique in the cluster; Cluster is "" for a server by itself.
	Name, Cluster string
	// Listen is where hosts connect, Peers where other servers do; Routes are the Peers addresses of all, or of what leads to them.
	Listen, Peers string
	Routes        []string
	// Folder has what is stored, and the configuration.
	Folder string
	// More is added to the configuration.
	More string
}

// Write writes the configuration and returns the name of its file. Every write is on the disk before it is acknowledged.
func (n *Node) Write() (string, error) {
	if err := os.MkdirAll(n.Folder, 0o700); err != nil {
		return "", fmt.Errorf("the folder of NATS server %s: %w", n.Name, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Written by host cluster up at every start.\nserver_name: %q\nlisten: %q\n", n.Name, n.Listen)
	fmt.Fprintf(&b, "jetstream {\n\tstore_dir: %q\n\tsync_interval: always\n}\n", filepath.Join(n.Folder, "data"))
	if n.Cluster != "" {
		fmt.Fprintf(&b, "cluster {\n\tname: %q\n\tlisten: %q\n\tno_advertise: true\n\troutes: [\n", n.Cluster, n.Peers)
		for _, r := range n.Routes {
			fmt.Fprintf(&b, "\t\t%q\n", "nats://"+r)
		}
		b.WriteString("\t]\n}\n")
	}
	b.WriteString(n.More)
	file := filepath.Join(n.Folder, "nats.conf")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		return "", fmt.Errorf("the configuration of NATS server %s: %w", n.Name, err)
	}
	return file, nil
}
