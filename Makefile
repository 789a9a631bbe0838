# The front door. `make help` lists what there is.
.PHONY: build test
build:
	cmake --preset release
	cmake --build --preset release
test: build
	ctest --preset release
