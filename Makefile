# Two commands: `make demo` sets up what users get and runs the main job; `make test` sets up everything and tests.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
NO_VENV = { test ! -e $(VENV)/pyvenv.cfg || rm -rf $(VENV); \
	echo "no pip in $(VENV), which is removed; on Debian and Ubuntu install the package python3-venv, then try again" >&2; \
	exit 1; }

# The processes that tests start read modules compiled; a second run reads the tests compiled, with their asserts.
export PYTHONDONTWRITEBYTECODE =
COMPILED = @$(BIN)/python -m compileall -q src
# The libraries' modules are compiled on all cores, which pip does on one; templates among them are not Python. Their
# own tests and OpenGL, a third of the text, are never imported.
LIBRARIES_COMPILED = $(BIN)/python -m compileall -qq -j 0 -x '/(tests|OpenGL)/' \
	$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') || true

# A worker of the tests has a core; threads of OpenBLAS would wait for those of the other worker, ten times as long as
# they compute.
test test-costs test-all: export OPENBLAS_NUM_THREADS = 1

.PHONY: demo test test-costs test-all test-aarch64 test-packages lint bench docs clean

demo: $(VENV)/installed-base
	$(BIN)/armdyn simulate ur5 --duration 3 --out out/ur5_falls.png --out out/ur5_falls.csv

test: $(VENV)/installed-all
	$(COMPILED)
	$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

# Processor time of each test, with its processes and what it compiles.
test-costs: $(VENV)/installed-all
	$(COMPILED)
	PYTHONPATH=tests $(BIN)/python -m pytest -p costs.plugin --costs out/costs.csv $(ARGS)

# What is long too: every robot, every mutant, every setting of the machine, fuzzing. An hour or two.
test-all: $(VENV)/installed-torch $(VENV)/installed-docs
	$(COMPILED)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "" --mutants all $(ARGS)

# On an emulated 64-bit Arm processor; needs Debian's qemu-user-static.
test-aarch64: $(VENV)/installed-all
	PYTHONPATH=tests $(BIN)/python -m aarch64.run

# Wheel and sdist, installed on each Python that is found, with the newest and oldest libraries and each extra alone.
test-packages: $(VENV)/installed-base
	$(BIN)/python tests/packages/run.py

lint: $(VENV)/installed-all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/installed-all
	$(BIN)/python -m benchmarks $(ARGS)

# The site in out/docs: pages, reference, gallery; what does not resolve is an error.
docs: $(VENV)/installed-docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html -d build/docs docs out/docs
	@echo "open out/docs/index.html"

# A venv without pip is completed where that is possible, else removed: a Python without ensurepip leaves one behind.
$(VENV)/made:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "armdyn needs Python 3.11 or later; set PYTHON=python3.11 or the like")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || true
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null 2>&1 || $(NO_VENV)
	touch $@

$(VENV)/installed-base: pyproject.toml requirements/base.txt | $(VENV)/made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -r requirements/base.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	$(LIBRARIES_COMPILED)
	touch $@

$(VENV)/installed-all: requirements/all.txt $(VENV)/installed-base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -r requirements/all.txt
	$(LIBRARIES_COMPILED)
	touch $@

# PyTorch is large: only the long tests have it.
$(VENV)/installed-torch: requirements/torch.txt $(VENV)/installed-all
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/torch.txt
	touch $@

$(VENV)/installed-docs: requirements/docs.txt $(VENV)/installed-base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/docs.txt
	touch $@

clean:
	rm -rf $(VENV) out build/aarch64 build/docs build/notebooks docs/reference docs/tests docs/notebooks/downloads
