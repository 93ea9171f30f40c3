#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares two dumps and posts the verdict to a chat: sh chat.sh GOLDEN TARGET slack|dingtalk|feishu|wecom HOOK_URL [REPORT_URL]
# vernier writes the body, curl sends it; nothing is sent when the runs agree. The exit code is vernier's.
set -u
golden=$1 target=$2 service=$3 hook=$4 link=${5:-}
body=$(mktemp)
trap 'rm -f "$body"' EXIT
vernier compare "$golden" "$target" -q -o "$body.$service" ${link:+--link "$link"}
code=$?
if [ "$code" -ne 0 ] && [ -f "$body.$service" ]; then
    curl --silent --show-error --fail --header 'Content-Type: application/json' --data "@$body.$service" "$hook" || echo "chat.sh: $service did not take the message" >&2
fi
rm -f "$body.$service"
exit "$code"
