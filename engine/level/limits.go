package level

import "github.com/tidelock/tidelock/engine/collision"

// Bounds of the input. Reaching one is a [ParseError] that wraps [ErrLimit], naming the line.
const (
	// MaxFile bounds the text, in bytes. The largest published Quake maps are some 30 MB.
	MaxFile = 64 << 20
	// MaxEntities bounds the entities, worldspawn included: ids of actors placed by a level stay small.
	MaxEntities = 16384
	// MaxBrushes bounds the brushes of a file, all entities together.
	MaxBrushes = 65536
	// MaxFaces bounds the faces of one brush, because building it is quadratic in them.
	MaxFaces = collision.MaxFaces
	// MaxKeys bounds the keys of one entity.
	MaxKeys = 1024
	// MaxString bounds a key, a value or a texture's name, in bytes as written.
	MaxString = 4096
	// MaxCoordinate bounds the locations of brushes and entities, in uu to either side of the origin: what is
	// sent in 16 bits per component.
	MaxCoordinate = 32767
	// MaxNumber bounds the coordinates of a face's points, in map units: three points may be far away from
	// their face.
	MaxNumber = 1 << 20
	// MinScale and MaxScale bound the scale, in uu per map unit.
	MinScale, MaxScale = 1.0 / 64, 64
	// MaxDepth bounds how deep the braces of a skipped primitive may nest.
	MaxDepth = 16
	// Quake 2 writes three numbers after a face, Daikatana six more.
	maxTrailing = 16
)
