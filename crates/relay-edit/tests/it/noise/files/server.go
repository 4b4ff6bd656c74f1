package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"sync"
)

// ErrNotFound says that nothing has this name.
var ErrNotFound = errors.New("not found")

type entry struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Store keeps entries in memory.
type Store struct {
	mu      sync.RWMutex
	entries map[string]entry
}

// Get returns the entry of this name.
func (s *Store) Get(name string) (entry, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found, ok := s.entries[name]
	if !ok {
		return entry{}, ErrNotFound
	}
	return found, nil
}

// Put keeps an entry.
func (s *Store) Put(e entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Name == "" {
		return errors.New("no name")
	}
	s.entries[e.Name] = e
	return nil
}

// Delete forgets the entry of this name.
func (s *Store) Delete(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.entries[name]; !ok {
		return ErrNotFound
	}
	delete(s.entries, name)
	return nil
}

func (s *Store) handleGet(w http.ResponseWriter, r *http.Request) {
	found, err := s.Get(r.PathValue("name"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(found); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
}

func (s *Store) handlePut(w http.ResponseWriter, r *http.Request) {
	var e entry
	if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := s.Put(e); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
