# Short names for the common tasks; CMake and Ninja do the work. "make help" lists them.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 1800
DEMO = models/classics/double-pendulum.tram
JOBS = $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
CTEST = ctest --output-on-failure --no-tests=error -j $(JOBS)

.PHONY: all engine playground demo web quick test papers gallery bench fuzz soak coverage install python dist deb format tidy clean help
.NOTPARALLEL:

all: build/build.ninja web/dist/page.html engine
	@cmake --build build --target product

# Once; afterwards Ninja itself runs CMake again when it has to. Installs what is missing, silent if nothing is.
build/build.ninja:
	@scripts/install-deps build
	@cmake --preset release

demo: all
	@if [ -f $(DEMO) ]; then \
	    printf '\n  A double pendulum, as text:\n\n'; sed 's/^/    /' $(DEMO); \
	    printf '\n  build/trammel run %s\n\n' $(DEMO); \
	    build/trammel run $(DEMO) && printf '\n  More models are in models/; build/trammel help lists the commands.\n'; \
	else echo "not yet: $(DEMO) is missing"; exit 2; fi

# The page that report and view write, of which the program takes a copy. Plain "make" builds it where Node is at hand,
# and does without where not; this asks for it, and installs Node.
web:
	@scripts/install-deps web
	@$(MAKE) --no-print-directory all
	@test -f web/dist/page.html

web/dist/page.html: web/package-lock.json web/package.json web/index.html web/vite.config.ts editors/trammel.tmLanguage.json \
                    $(shell find web/src web/build wasm/engine.mjs -type f) $(wildcard models/*/*.tram)
	@scripts/web build

# The library as WebAssembly, of which the program takes a copy for its pages. Ninja knows what is to be done.
engine:
	@scripts/wasm

# A model edited and run in a browser, in one file.
playground: web
	@build/trammel playground -o build/playground.html

# For daily work: the short tests in the release build, and the checks of the sources.
quick:
	@scripts/install-deps build test
	@cmake --preset release -DTRAMMEL_TESTS=ON -DTRAMMEL_WERROR=ON >/dev/null
	@cmake --build build
	@$(CTEST) --test-dir build --progress -L quick
	@scripts/check

test:
	@scripts/install-deps build test web
	@$(MAKE) --no-print-directory web/dist/page.html engine
	cmake --preset release -DTRAMMEL_TESTS=ON -DTRAMMEL_WERROR=ON
	cmake --build build
	cmake --preset sanitizers
	cmake --build build-sanitize
	$(CTEST) --test-dir build
	scripts/check
	# the page's tests leave a core idle for long: both at once
	scripts/web test >build/web-test.log 2>&1 & web=$$!; \
	$(CTEST) --test-dir build-sanitize; tests=$$?; \
	wait $$web; page=$$?; cat build/web-test.log; exit $$((tests || page))
	@echo "$$(for build in build build-sanitize; do ctest --test-dir $$build -N; done | grep -c '^ *Test *#') passed, 0 failed"

papers: all
	@scripts/install-deps papers
	@scripts/papers

gallery:
	@scripts/install-deps web
	@$(MAKE) --no-print-directory all
	@scripts/gallery

bench:
	@scripts/install-deps build bench
	@$(MAKE) --no-print-directory all
	@bench/run
	@bench/sweeps.py
	@bench/python.py

fuzz:
	@scripts/install-deps build fuzz
	cmake --preset fuzz
	cmake --build build-fuzz
	scripts/fuzz $(FUZZ_SECONDS)

soak:
	@scripts/install-deps build test fuzz emit
	@scripts/soak

coverage:
	@scripts/install-deps build test
	cmake --preset coverage
	cmake --build build-coverage
	@scripts/coverage

install: all
	@cmake --install build --prefix "$(PREFIX)"

python: all
	@scripts/install-deps python
	@scripts/wheel

dist:
	@scripts/package dist

deb: web/dist/page.html engine
	@scripts/install-deps build deb
	@scripts/package deb

format:
	@scripts/format

tidy: build/build.ninja
	@scripts/tidy

clean:
	rm -rf build build-debug build-sanitize build-fuzz build-coverage build-wasm build-soak-*

help:
	@echo "make           the release build; the program is build/trammel"
	@echo "make demo      build, then run a first model"
	@echo "make web       the program with the page of report and view; installs Node, and needs the network once"
	@echo "make playground  a page in which models are edited and run, build/playground.html"
	@echo "make quick     the short tests, in the release build, within a minute"
	@echo "make test      all tests, in a release and a sanitizers build, and the checks of the sources: six minutes"
	@echo "make papers    the papers' examples and figures, compared with what they say: build/papers/index.html"
	@echo "make gallery   every shipped model, moving and as a page that runs it: build/gallery/index.html"
	@echo "make bench     speed beside hand-written C and other engines, ten minutes: bench/README.md"
	@echo "make fuzz      each fuzzer for FUZZ_SECONDS ($(FUZZ_SECONDS)); needs clang"
	@echo "make soak      all cases of all tests by two compilers and with sanitizers, and what runs for hours"
	@echo "make coverage  which lines of the library and the program the tests reach"
	@echo "make install   into PREFIX ($(PREFIX)), below DESTDIR if that is set"
	@echo "make python    the package for Python with the library inside, a wheel, in build/"
	@echo "make dist      the sources of the last commit as one file, in build/"
	@echo "make deb       Debian packages of the last commit, in build/deb/"
	@echo "make format    lay out all C sources with clang-format 14"
	@echo "make tidy      advice from clang-tidy"
	@echo "make clean     remove the build folders"
