package admin

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/profiles"
	"github.com/tidelock/tidelock/cmd/host/store"
	base "github.com/tidelock/tidelock/engine/store"
)

const (
	// storeRoot is the first part of the paths of the store.
	storeRoot = "store"
	// transferWithin bounds an export, a backup or an import. Until a backup is read, no page of the store is reused, and its file
	// grows.
	transferWithin = 10 * time.Minute
	// maxUpload bounds the body of an import, in bytes.
	maxUpload = 2 * store.MaxImport
)

// StoreRecord is a record as /api/v1/store/record answers.
type StoreRecord struct {
	Key      string `json:"key"`
	Revision uint64 `json:"revision"`
	// Line is the record as a line of an export; Value is encoded in base64.
	Line  json.RawMessage `json:"line"`
	Value string          `json:"value"`
}

// StoreReport is a report as /api/v1/store/check answers.
type StoreReport struct {
	File    string   `json:"file"`
	Records int      `json:"records"`
	Bytes   int64    `json:"bytes"`
	Damage  []string `json:"damage"`
}

// StoreImport is how an import ended. Held are the profiles that were left out because hosts of a cluster hold them.
type StoreImport struct {
	Records int      `json:"records"`
	Bad     []string `json:"bad"`
	Held    []string `json:"held"`
}

// StoreVersion is a state of a player's profile as /api/v1/store/versions answers, with Now for the present one.
type StoreVersion struct {
	Version   uint64 `json:"version"`
	Holder    string `json:"holder,omitempty"`
	Variables int    `json:"variables"`
	Bytes     int    `json:"bytes"`
	Now       bool   `json:"now,omitempty"`
	// Damage says why it cannot be read.
	Damage string `json:"damage,omitempty"`
}

// readStore answers reads of the store, which are for the owner: profiles are in it.
func (h *Handler) readStore(w http.ResponseWriter, r *http.Request, who command.Caller, what string) {
	if who.Role < access.Owner {
		h.unproved(w, "the store is for the owner; send the admin token")
		return
	}
	read := map[string]func(http.ResponseWriter, *http.Request) error{
		"store/list": h.storeList, "store/record": h.storeRecord, "store/check": h.storeCheck, "store/export": h.storeExport, "store/backup": h.storeBackup, "store/versions": h.storeVersions,
	}[what]
	if read == nil {
		fail(w, http.StatusNotFound, "there is nothing to read at "+r.URL.Path+"; "+apiRoot+"openapi.json lists everything")
		return
	}
	if h.opt.Store == nil {
		fail(w, http.StatusServiceUnavailable, noStore)
		return
	}
	err := read(w, r)
	if h.opt.Commands.Log != nil && what != "store/list" && what != "store/record" && what != "store/versions" {
		h.opt.Commands.Log(who, strings.ReplaceAll(what, "/", " "), err)
	}
}

const noStore = "this host has no store; its log says why"

// storeFault answers with an error of the store.
func storeFault(w http.ResponseWriter, err error) error {
	status := http.StatusInternalServerError
	switch {
	case errors.As(err, new(*command.UsageError)):
		status = http.StatusBadRequest
	case errors.Is(err, store.ErrBusy), errors.Is(err, store.ErrClosed), errors.Is(err, context.DeadlineExceeded):
		status = http.StatusServiceUnavailable
	case errors.As(err, new(*profiles.HeldError)), errors.Is(err, base.ErrConflict):
		status = http.StatusConflict
	case errors.Is(err, base.ErrQuota):
		status = http.StatusInsufficientStorage
	}
	fail(w, status, err.Error())
	return err
}

// ask has a job done and waits for its result.
func (h *Handler) ask(r *http.Request, j store.Job) (store.Result, error) {
	ctx, cancel := context.WithTimeout(r.Context(), turnWithin)
	defer cancel()
	got := make(chan store.Result, 1)
	j.Done = func(r store.Result) { got <- r }
	if err := h.opt.Store.Submit(j); err != nil {
		return store.Result{}, err
	}
	select {
	case res := <-got:
		return res, res.Err
	case <-ctx.Done():
		return store.Result{}, ctx.Err()
	}
}

func (h *Handler) storeList(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	most, err := optionalNumber(r, "most")
	if err != nil {
		return storeFault(w, err)
	}
	got, err := h.ask(r, store.Job{Kind: store.List, Key: q.Get("prefix"), After: q.Get("after"), Most: int(min(most, base.MaxList))})
	if err != nil {
		return storeFault(w, err)
	}
	reply(w, http.StatusOK, list(got.Keys))
	return nil
}

func (h *Handler) storeRecord(w http.ResponseWriter, r *http.Request) error {
	key := r.URL.Query().Get("key")
	got, err := h.ask(r, store.Job{Kind: store.Get, Key: key})
	if err != nil {
		return storeFault(w, err)
	}
	if got.Record.Revision == 0 {
		fail(w, http.StatusNotFound, "there is no record "+strconv.Quote(key))
		return nil
	}
	line, err := store.Line(key, got.Record)
	if err != nil {
		return storeFault(w, err)
	}
	reply(w, http.StatusOK, StoreRecord{key, uint64(got.Record.Revision), line, base64.StdEncoding.EncodeToString(got.Record.Value)})
	return nil
}

// shared returns the store of a cluster for a long transfer; nil if the store is a file.
func (h *Handler) shared(r *http.Request) (b base.Backend, end func()) {
	if h.opt.Store.Bolt() != nil {
		return nil, func() {}
	}
	ctx, cancel := context.WithTimeout(r.Context(), transferWithin)
	return h.opt.Store.Backend(ctx), cancel
}

func (h *Handler) storeCheck(w http.ResponseWriter, r *http.Request) error {
	extend(w)
	all, end := h.shared(r)
	defer end()
	if all != nil {
		rep, err := store.Check(all)
		if err != nil {
			return storeFault(w, err)
		}
		reply(w, http.StatusOK, StoreReport{"the cluster's store", rep.Records, rep.Bytes, list(rep.Lines())})
		return nil
	}
	s, err := h.opt.Store.Bolt().Snapshot()
	if err != nil {
		return storeFault(w, err)
	}
	defer s.Close()
	rep := s.Check()
	reply(w, http.StatusOK, StoreReport{h.opt.Store.Bolt().Path(), rep.Records, rep.Bytes, list(rep.Lines())})
	return nil
}

// extend gives an answer more time than others have.
func extend(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(transferWithin)) // a test's writer has none
}

func (h *Handler) storeExport(w http.ResponseWriter, r *http.Request) error {
	extend(w)
	const kind = "application/x-ndjson"
	all, end := h.shared(r)
	defer end()
	if all != nil {
		if _, err := all.List("", "", 1); err != nil { // before anything is written
			return storeFault(w, err)
		}
		w.Header().Set("Content-Type", kind)
		_, err := store.Export(all, w)
		return err
	}
	s, err := h.opt.Store.Bolt().Snapshot()
	if err != nil {
		return storeFault(w, err)
	}
	defer s.Close()
	w.Header().Set("Content-Type", kind)
	_, err = s.Export(w) // without its last line the client knows that it is not whole
	return err
}

func (h *Handler) storeBackup(w http.ResponseWriter, r *http.Request) error {
	extend(w)
	begun := false
	sized := func(bytes int64) {
		begun = true
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.FormatInt(bytes, 10))
	}
	all, end := h.shared(r)
	defer end()
	var err error
	if all != nil {
		err = store.Backup(all, w, sized)
	} else {
		err = h.opt.Store.Bolt().Backup(w, sized)
	}
	if err != nil && !begun {
		return storeFault(w, err)
	}
	return err
}

// importStore stores the records of an export. Its body is that, not JSON of one value.
func (h *Handler) importStore(w http.ResponseWriter, r *http.Request, who command.Caller) {
	var n StoreImport
	err := h.importInto(w, r, who, &n)
	if h.opt.Commands.Log != nil {
		h.opt.Commands.Log(who, "store import", err)
	}
	switch {
	case err == nil:
		n.Bad, n.Held = list(n.Bad), list(n.Held)
		reply(w, http.StatusOK, n)
	case errors.As(err, new(*command.RoleError)):
		answered(w, who, nil, err)
	default:
		_ = storeFault(w, err) // it is logged
	}
}

func (h *Handler) importInto(w http.ResponseWriter, r *http.Request, who command.Caller, n *StoreImport) error {
	if who.Role < access.Owner {
		return &command.RoleError{Command: "store import", Needs: access.Owner, Has: who.Role}
	}
	if h.opt.Store == nil {
		return errors.New(noStore)
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(transferWithin)) // a test's writer has none
	extend(w)
	body, skip := http.MaxBytesReader(w, io.NopCloser(r.Body), maxUpload), r.URL.Query().Get("skip") != ""
	ctx, cancel := context.WithTimeout(r.Context(), transferWithin)
	defer cancel()
	file := h.opt.Store.Bolt()
	if file == nil {
		return h.merge(ctx, body, skip, n)
	}
	in, err := store.ReadImport(body, skip)
	if err != nil {
		return &command.UsageError{Text: err.Error()}
	}
	err = h.opt.Store.Call(ctx, func(base.Backend) error { return file.Import(in) })
	n.Records, n.Bad = in.Len(), in.Bad
	return err
}

// merge imports into the store of a cluster.
func (h *Handler) merge(ctx context.Context, body io.Reader, skip bool, n *StoreImport) (err error) {
	file, drop, err := store.Spool(body)
	if err != nil {
		return &command.UsageError{Text: err.Error()}
	}
	defer func() { err = errors.Join(err, drop()) }()
	all := h.opt.Store.Backend(ctx)
	m, err := store.Merge(file, skip, func(key string, value []byte, dead base.Revision) error {
		return profiles.Put(all, key, value, dead, false)
	}, func() error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(profiles.Expiry):
			return nil
		}
	})
	if err != nil && m.Import == nil { // the file
		return &command.UsageError{Text: err.Error()}
	}
	n.Records, n.Bad, n.Held = m.Stored, m.Bad, m.Held
	return err
}

// storeVersions answers with the states of a profile that are kept.
func (h *Handler) storeVersions(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), turnWithin)
	defer cancel()
	now, older, err := profiles.Kept(h.opt.Store.Backend(ctx), r.URL.Query().Get("player"))
	if err != nil {
		return storeFault(w, err)
	}
	reply(w, http.StatusOK, list(StoreVersions(now, older)))
	return nil
}

// StoreVersions describes the states of a profile, the present one first.
func StoreVersions(now *profiles.Version, older []profiles.Version) (out []StoreVersion) {
	describe := func(v *profiles.Version, present bool) {
		n := 0
		if v.Data != nil {
			for _, p := range v.Data.Pairs {
				if t, ok := p.Value.(*base.Table); ok { // a namespace
					n += len(t.Pairs)
				}
			}
		}
		out = append(out, StoreVersion{v.Fence, v.Holder, n, v.Bytes, present, v.Damage})
	}
	if now != nil {
		describe(now, true)
	}
	for i := range older {
		describe(&older[i], false)
	}
	return out
}

// restoreStore makes an older version of a profile the present one.
func (h *Handler) restoreStore(w http.ResponseWriter, r *http.Request, who command.Caller) {
	var body struct {
		Player  string `json:"player"`
		Version uint64 `json:"version"`
		// Dead is the revision of a record whose holder has died: the caller saw no other for half a minute.
		Dead uint64 `json:"dead"`
	}
	err := error(&command.RoleError{Command: "store restore", Needs: access.Owner, Has: who.Role})
	if who.Role >= access.Owner {
		if !h.readBody(w, r, &body) {
			return
		}
		err = h.restore(r.Context(), body.Player, body.Version, base.Revision(body.Dead))
	}
	if h.opt.Commands.Log != nil {
		h.opt.Commands.Log(who, fmt.Sprintf("store restore %.100q %d", body.Player, body.Version), err)
	}
	var held *profiles.HeldError
	switch {
	case err == nil:
		reply(w, http.StatusOK, struct{}{})
	case errors.As(err, new(*command.RoleError)):
		answered(w, who, nil, err)
	case errors.As(err, &held) && h.opt.Store.Shared():
		reply(w, http.StatusConflict, StoreHeld{held.Error(), held.ID, held.Holder, uint64(held.Revision)})
	default:
		_ = storeFault(w, err) // it is logged
	}
}

// StoreHeld is the answer where a host of a cluster holds a profile.
type StoreHeld struct {
	Error    string `json:"error"`
	Player   string `json:"player"`
	Holder   string `json:"holder"`
	Revision uint64 `json:"revision"`
}

func (h *Handler) restore(ctx context.Context, player string, version uint64, dead base.Revision) error {
	if h.opt.Store == nil {
		return errors.New(noStore)
	}
	ctx, cancel := context.WithTimeout(ctx, turnWithin)
	defer cancel()
	if !h.opt.Store.Shared() {
		dead = 0 // the host alone knows whether it holds the profile
	}
	_, err := profiles.Restore(h.opt.Store.Backend(ctx), player, version, dead, false)
	return err
}
