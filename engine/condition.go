package engine

// Condition is a compiled replication condition (R5.5, R5.6).
type Condition struct {
	// Upstream is set where it requires Role < ROLE_Authority (R5.16).
	Upstream bool
}
