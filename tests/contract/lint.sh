#!/bin/sh
# Lints openapi.yaml, and the other documents as `$SKYE_SERVER` generates them, by the rules of spectral, OWASP
# and redocly, which must find nothing, not even a hint.
# They are node's programs: where there is no node 20 or newer, or no way to fetch them, this says so and is content.
set -eu
here=$(dirname "$0")
export npm_config_yes=true npm_config_prefer_offline=true npm_config_fetch_retries=1 npm_config_loglevel=error
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true

generated=$(mktemp -d)
trap 'rm -r "$generated"' EXIT
for document in openapi.yaml arazzo.yaml; do
    "$SKYE_SERVER" openapi "$document" > "$generated/$document"
done

# Spectral looks for a set of rules beside the file that extends it, and then where NODE_PATH says.
spectral='NODE_PATH=$(dirname "$(dirname "$(command -v spectral)")") spectral lint --quiet --fail-severity hint --ruleset'

with_linters() {
    npx --package @stoplight/spectral-cli@6.16.3 --package @stoplight/spectral-owasp-ruleset@2.0.1 \
        --package @redocly/cli@2.77.0 --call "$1"
}

if ! command -v npx >/dev/null 2>&1; then
    echo 'The contract was NOT linted by spectral and redocly: there is no node here.' >&2
elif [ "$(node --version | sed 's/^v\([0-9]*\).*/\1/')" -lt 20 ]; then
    echo 'The contract was NOT linted by spectral and redocly: they need node 20 or newer.' >&2
elif ! with_linters true >/dev/null 2>&1; then
    echo 'The contract was NOT linted by spectral and redocly: they cannot be fetched.' >&2
elif ! found=$(with_linters "$spectral '$here/spectral.yaml' openapi.yaml \
    && redocly lint --config '$here/redocly.yaml' openapi.yaml \
    && redocly lint --extends recommended-strict '$generated/arazzo.yaml'" 2>&1); then
    echo "$found" >&2
    exit 1
fi
