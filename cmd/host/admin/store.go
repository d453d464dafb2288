package admin

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
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

// StoreImport is how an import ended.
type StoreImport struct {
	Records int      `json:"records"`
	Bad     []string `json:"bad"`
}

// readStore answers reads of the store, which are for the owner: profiles are in it.
func (h *Handler) readStore(w http.ResponseWriter, r *http.Request, who command.Caller, what string) {
	if who.Role < access.Owner {
		h.unproved(w, "the store is for the owner; send the admin token")
		return
	}
	read := map[string]func(http.ResponseWriter, *http.Request) error{
		"store/list": h.storeList, "store/record": h.storeRecord, "store/check": h.storeCheck, "store/export": h.storeExport, "store/backup": h.storeBackup,
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
	if h.opt.Commands.Log != nil && what != "store/list" && what != "store/record" {
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

// snapshot returns the store as it is now.
func (h *Handler) snapshot() (*store.Snapshot, error) {
	b := h.opt.Store.Bolt()
	if b == nil {
		return nil, errors.New("this store is no file")
	}
	return b.Snapshot()
}

func (h *Handler) storeCheck(w http.ResponseWriter, _ *http.Request) error {
	s, err := h.snapshot()
	if err != nil {
		return storeFault(w, err)
	}
	defer s.Close()
	extend(w)
	rep := s.Check()
	reply(w, http.StatusOK, StoreReport{h.opt.Store.Bolt().Path(), rep.Records, rep.Bytes, list(rep.Lines())})
	return nil
}

// extend gives an answer more time than others have.
func extend(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(transferWithin)) // a test's writer has none
}

func (h *Handler) storeExport(w http.ResponseWriter, _ *http.Request) error {
	s, err := h.snapshot()
	if err != nil {
		return storeFault(w, err)
	}
	defer s.Close()
	extend(w)
	w.Header().Set("Content-Type", "application/x-ndjson")
	_, err = s.Export(w) // without its last line the client knows that it is not whole
	return err
}

func (h *Handler) storeBackup(w http.ResponseWriter, _ *http.Request) error {
	b := h.opt.Store.Bolt()
	if b == nil {
		return storeFault(w, errors.New("this store is no file"))
	}
	extend(w)
	begun := false
	err := b.Backup(w, func(bytes int64) {
		begun = true
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.FormatInt(bytes, 10))
	})
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
		n.Bad = list(n.Bad)
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
	in, err := store.ReadImport(http.MaxBytesReader(w, io.NopCloser(r.Body), maxUpload), r.URL.Query().Get("skip") != "")
	if err != nil {
		return &command.UsageError{Text: err.Error()}
	}
	ctx, cancel := context.WithTimeout(r.Context(), transferWithin)
	defer cancel()
	err = h.opt.Store.Call(ctx, func(b base.Backend) error {
		file, ok := b.(*store.Bolt)
		if !ok {
			return errors.New("this store is no file")
		}
		return file.Import(in)
	})
	n.Records, n.Bad = in.Len(), in.Bad
	return err
}
