package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/worlds"
	"github.com/tidelock/tidelock/engine"
)
