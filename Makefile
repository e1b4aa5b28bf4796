# Every target works on a bare machine with Python 3.11.5 or later, pip and make, alone and in any order; but `fresh`
# takes what `wheels` made, and `lite` needs conda.

PYTHON    ?= python3
PY        := .venv/bin/python
INSTALLED := .venv/installed
READ_PY   := .venv-read/bin/python
TO_READ   := .venv-read/installed
BUILT     := _build/html/book/index.html
PIP       := -m pip install --quiet --disable-pip-version-check

# Below it the pinned versions do not go together, and pip says so obscurely.
SUITS := import sys; v = sys.version_info; v >= (3, 11, 5) or sys.exit("Python 3.11.5 or later is needed, and \
$(PYTHON) is %d.%d.%d: name another one, such as make PYTHON=python3.12" % tuple(v[:3]))
VENV   = $(PYTHON) -c '$(SUITS)' && $(PYTHON) -m venv

export NUMBA_CACHE_DIR := $(CURDIR)/.numba_cache

# Two workers share the machine; threads of the linear algebra library would only get in each other's way.
WORKERS := 2
book links test check deep fuzz pages repeat sphinx oldest newest: export OMP_NUM_THREADS := 1
book links test check deep fuzz pages repeat sphinx oldest newest: export OPENBLAS_NUM_THREADS := 1

PYTEST := $(PY) -m pytest -n $(WORKERS) --dist loadfile
NBVAL  := --nbval-lax --nbval-current-env --nbval-cell-timeout=600 --nbval-sanitize-with=tests/nbval_sanitize.cfg

.DEFAULT_GOAL := help
.PHONY: help book sphinx lite wheels fresh pdf paper sheet links sbom test check deep fuzz pages repeat oldest newest audit lock lab bench study

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */  make \1\t/' | expand -t 18

book: $(INSTALLED)  ## build the book into _build/html
	$(PY) book/_ext/execute.py --workers $(WORKERS)
	.venv/bin/jupyter-book build . -W -n --keep-going
	$(MAKE) --no-print-directory sbom
	@echo "The book is built. Open _build/html/index.html in a browser."

# The chapters come executed from the book, as their numbers are those of the pinned versions.
sphinx: $(INSTALLED) | $(BUILT)  ## build the book into _build/sphinx with the newest versions, without Jupyter Book
	@test -x .venv-sphinx/bin/python || { $(VENV) .venv-sphinx; }
	.venv-sphinx/bin/python $(PIP) --upgrade pip
	.venv-sphinx/bin/python $(PIP) --upgrade --upgrade-strategy eager --group book/pyproject.toml:sphinx -e . -e book
	$(PY) book/_ext/plain_sphinx.py _build/plain
	.venv-sphinx/bin/sphinx-build -c _build/plain -d _build/plain/doctrees -n -W --keep-going . _build/sphinx

CONDA_EXE ?= conda
lite: | $(BUILT)  ## build into _build/html/lite a site that runs the chapters in the reader's browser; needs conda
	@test -d .venv-lite || $(CONDA_EXE) env create --quiet --prefix .venv-lite --file .lite/build.yml
	$(CONDA_EXE) run --prefix .venv-lite jupyter lite build --XeusAddon.environment_file=.lite/environment.yml \
		--apps lab --contents _build/html/_sources --output-dir _build/html/lite

wheels: $(INSTALLED) | $(BUILT)  ## build sdists and wheels of both packages into dist, the built book within the second
	$(PY) -c "import shutil; shutil.make_archive('_build/html', 'xztar', '_build', 'html')"
	$(PY) -m build --no-isolation --outdir dist .
	$(PY) -m build --no-isolation --outdir dist book

# As a user gets them: by name and version, in an environment that has nothing else. A tag such as v1.2.3 says which.
fresh:  ## install what lies in dist into a new environment, with the newest dependencies, and check it there
	@$(VENV) --clear .venv-fresh
	.venv-fresh/bin/python $(PIP) --find-links dist 'cost-sensitive-boosting[book,test]$(TAG:v%===%)'
	CSB_DIST=dist .venv-fresh/bin/pytest -m deep tests/project/test_packaging.py

pdf: $(INSTALLED) | $(BUILT)  ## print the lessons of the built book as _build/lessons.pdf, by Chromium
	$(PY) book/_ext/lessons_pdf.py

paper: $(INSTALLED) | $(BUILT)  ## print the paper of the built book as _build/paper.pdf, four pages, by Chromium
	$(PY) book/_ext/paper_pdf.py

sheet: $(INSTALLED) | $(BUILT)  ## print the cheat sheet of the built book as _build/sheet.pdf, one page, by Chromium
	$(PY) book/_ext/sheet_pdf.py

sbom: $(INSTALLED)  ## list the installed packages beside the built book, as CycloneDX
	mkdir -p _build/html/_static
	.venv/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible \
		--output-file _build/html/_static/packages.cdx.json $(PY)
	$(PY) book/_ext/without_paths.py _build/html/_static/packages.cdx.json

test: $(INSTALLED)  ## run the unit tests, the docstring examples and the notebooks
	$(PYTEST) $(NBVAL) -m "not deep" tests csb book

check: $(INSTALLED)  ## run the unit tests and docstring examples only
	$(PYTEST) -m "not deep" tests csb book/csbook

DEEP ?= --ignore=tests/browser tests
deep: $(INSTALLED)  ## run the tests that only a release needs; those of a folder: make deep DEEP=tests/project
	$(PYTEST) -m deep $(DEEP)
	HYPOTHESIS_PROFILE=deep $(PYTEST) --dist load tests/csb/test_symmetries.py tests/csb/test_promises.py

MINUTES ?= 10
fuzz: $(INSTALLED)  ## draw new inputs for the tests of symmetries and promises; for an hour: make fuzz MINUTES=60
	$(PY) tests/fuzz.py $(MINUTES) $(PYTEST) --dist load

pages: $(INSTALLED) | $(BUILT)  ## check the built book in a browser: links, scripts, accessibility
	$(PYTEST) tests/browser $(SELECT)

# As an old processor computes, so that what does not come out again and what hangs on the processor show alike.
repeat: $(INSTALLED) | $(BUILT)  ## execute the built chapters again as on an old processor, compare all outputs
	NPY_DISABLE_CPU_FEATURES="$$($(PY) tests/processors.py features)" OPENBLAS_CORETYPE=Nehalem \
		$(PY) book/_ext/repeat.py --workers $(WORKERS)

links: $(INSTALLED)  ## follow the links out of the book, and fetch all data sets anew
	.venv/bin/jupyter-book build . --builder custom --custom-builder linkcheck
	cache="$$(mktemp -d)" && env -u CSB_DATA CSB_CACHE="$$cache" $(PY) -m csbook data fetch all && rm -r "$$cache"

$(BUILT):
	$(MAKE) book

# The two ends of what pyproject.toml allows. The book's package comes without those that it needs to be read and built.
oldest: INSTALL := -c constraints-oldest.txt -e '.[bench,dask,test]'
oldest: SELECT := -m "not deep"
oldest:  ## run the unit tests with the oldest allowed dependencies
newest: INSTALL := --upgrade --upgrade-strategy eager -e '.[audit,bench,dask,test]'
newest:  ## run the unit tests, deep ones too, with the newest dependencies, and look for known faults in them
oldest newest:
	@test -x .venv-$@/bin/python || { $(VENV) .venv-$@; }
	.venv-$@/bin/python $(PIP) $(INSTALL)
	.venv-$@/bin/python $(PIP) --no-deps -e book
	NUMBA_CACHE_DIR=$(NUMBA_CACHE_DIR)/$@ .venv-$@/bin/python -m pytest -n $(WORKERS) --dist loadfile \
		$(SELECT) tests csb book/csbook
	$(if $(filter newest,$@),.venv-$@/bin/python tests/audit.py)

audit: $(INSTALLED)  ## look for known faults in the pinned dependencies
	$(PY) tests/audit.py

# Below Python 3.11.5 the newest versions of all packages do not go together. The extras stay in the locks: the pip of
# Python 3.11 does not hold coverage[toml] to a pin of coverage, and takes the newest release in its place.
RESOLVE := .venv/bin/uv pip compile --universal --python-version 3.11.5 --generate-hashes --no-annotate \
	--no-strip-extras --no-emit-package cost-sensitive-boosting --no-emit-package cost-sensitive-boosting-book \
	--custom-compile-command "make lock" --quiet
lock: $(INSTALLED)  ## write both locks for both pyproject.toml; with UPGRADE=1 all versions anew
	$(RESOLVE) pyproject.toml book/pyproject.toml --all-extras $(if $(UPGRADE),--upgrade) \
		--output-file requirements.lock
	$(RESOLVE) book/pyproject.toml --group book/pyproject.toml:in-place --constraint requirements.lock --upgrade \
		--output-file requirements-read.lock

lab: $(TO_READ)  ## open the chapters in JupyterLab
	$(READ_PY) -m jupyterlab book

study: $(TO_READ)  ## list the studies; one of them: make study NAME=c08
	$(READ_PY) -m csbook study $(NAME)

bench: $(INSTALLED)  ## measure csb against scikit-learn and LightGBM
	$(PY) -m benchmarks

# What builds and tests, and, with two thirds of the packages, what reads and runs: set up alike, each from its lock.
$(INSTALLED): requirements.lock
$(TO_READ): requirements-read.lock
$(INSTALLED) $(TO_READ): pyproject.toml book/pyproject.toml
	@test -x $(@D)/bin/python || { $(VENV) $(@D); }
	@echo "Packages are fetched into $(@D), with their checksums: some minutes"
	$(@D)/bin/python $(PIP) --require-hashes -r $(filter %.lock,$^)
	$(@D)/bin/python $(PIP) --no-deps --no-build-isolation -e . -e book
	@touch $@
