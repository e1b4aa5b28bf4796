# Every target works on a bare machine with Python 3.11, pip and make, alone and in any order.

PYTHON    ?= python3
EXTRAS    := book,test,lab,bench,dask
PY        := .venv/bin/python
INSTALLED := .venv/installed
BUILT     := _build/html/book/index.html

# numba renews a cached function when its own file changes, but not when a file it imports does:
# so its cache sits in a folder named after the content of the whole package.
export NUMBA_CACHE_DIR := $(CURDIR)/.numba_cache/$(shell find csb -name '*.py' | LC_ALL=C sort | xargs cat | cksum | cut -d ' ' -f 1)

# Two workers share the machine; threads of the linear algebra library would only get in each other's way.
WORKERS := 2
book test check pages repeat processors oldest newest: export OMP_NUM_THREADS := 1
book test check pages repeat processors oldest newest: export OPENBLAS_NUM_THREADS := 1

PYTEST := $(PY) -m pytest -n $(WORKERS) --dist loadfile
NBVAL  := --nbval-lax --nbval-current-env --nbval-cell-timeout=600 --nbval-sanitize-with=tests/nbval_sanitize.cfg

.DEFAULT_GOAL := help
.PHONY: help book test check pages repeat processors oldest newest lab bench study

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */  make \1\t/' | expand -t 18

book: $(INSTALLED)  ## build the book into _build/html
	$(PY) book/_ext/execute.py --workers $(WORKERS)
	.venv/bin/jupyter-book build . -W -n --keep-going
	@echo "The book is built. Open _build/html/index.html in a browser."

test: $(INSTALLED)  ## run everything: unit tests, docstring examples, notebooks
	$(PYTEST) $(NBVAL) tests csb book

check: $(INSTALLED)  ## run the unit tests and docstring examples only
	$(PYTEST) tests csb

pages: $(INSTALLED) | $(BUILT)  ## check the built book in a browser: links, scripts, accessibility
	$(PYTEST) tests/browser

repeat: $(INSTALLED) | $(BUILT)  ## execute the chapters of the built book again and compare all outputs
	$(PY) book/_ext/repeat.py --workers $(WORKERS)

processors: $(INSTALLED)  ## compare the chapters' outputs as an old processor computes them
	NPY_DISABLE_CPU_FEATURES="$$($(PY) tests/processors.py features)" OPENBLAS_CORETYPE=Nehalem \
		$(PYTEST) $(NBVAL) book

$(BUILT):
	$(MAKE) book

# The two ends of what pyproject.toml allows. The book's packages are left out.
oldest: INSTALL := -c constraints-oldest.txt
oldest:  ## run the unit tests with the oldest allowed dependencies
newest: INSTALL := --upgrade --upgrade-strategy eager
newest:  ## run the unit tests with the newest dependencies, pinned or not
oldest newest:
	test -x .venv-$@/bin/python || $(PYTHON) -m venv .venv-$@
	.venv-$@/bin/python -m pip install --quiet --disable-pip-version-check $(INSTALL) -e '.[bench,dask,test]'
	NUMBA_CACHE_DIR=$(NUMBA_CACHE_DIR)-$@ .venv-$@/bin/python -m pytest -n $(WORKERS) --dist loadfile tests csb

lab: $(INSTALLED)  ## open the chapters in JupyterLab
	$(PY) -m jupyterlab book

study: $(INSTALLED)  ## list the studies; one of them: make study NAME=c08
	$(PY) -m csb study $(NAME)

bench: $(INSTALLED)  ## measure csb against scikit-learn and LightGBM
	$(PY) -m benchmarks

$(INSTALLED): pyproject.toml constraints.txt
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@
