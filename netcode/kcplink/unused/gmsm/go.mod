module github.com/tjfoc/gmsm

go 1.26.0
