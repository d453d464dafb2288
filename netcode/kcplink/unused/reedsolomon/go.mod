module github.com/klauspost/reedsolomon

go 1.26.0
