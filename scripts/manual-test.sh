#!/bin/sh
# The steps of docs/manual-test.md against a running gateway whose Meta is the simulator.
# Needs curl, openssl, and node to read JSON. Every step makes tenants and numbers of its own; all of it is fictional.
set -u

usage() {
  cat <<'HELP'
Usage: scripts/manual-test.sh [--quick] [--step N]... [--list] [--help]

Runs the steps of docs/manual-test.md against a running gateway (npm run dev) and says PASS or FAIL for each.
Exit code: 0 when every step passed, 1 when one failed, 2 when it could not begin.

  --quick   the outage lasts 3 seconds instead of 2 minutes, the flood has 40 messages instead of 1000,
            and the steps run at the same time
  --step N  only this step; may be given several times
  --list    name the steps
  --help    this

Reads .estafet/dev.env unless ESTAFET_URL is set; uses ESTAFET_URL, ESTAFET_OPERATOR_KEY, META_APP_SECRET,
META_VERIFY_TOKEN and SIMULATOR_URL. WAIT says how many seconds a step waits for something (900).
HELP
}

titles='Handshake: the right token is echoed, a wrong one refused
Signature missing or wrong: 401, and nothing is stored
The same webhook three times: one message, one status
Malformed: 200, and a dead letter with its bytes
Send: queued, sent, delivered; the same key sends once
429: tried again by itself, with back-off
Outage: the queue empties afterwards, nothing lost or doubled
Flood: a tenant with a full queue does not hold up another
Token revoked: noticed, refused with a way out, reconnected
Refused for good: no retry; dead letter, requeued with a reason
Strangers: 404 for another tenant, 401 at the internal endpoints
Health: one request says how it goes'
count=12
newline='
'

# --- what the steps are made of ---------------------------------------------------------------------------------------

fail() {
  printf '%s\n' "$*"
  exit 1
}

# call <method> <url> [options of curl]: sets $status and $answer.
call() {
  method=$1 url=$2
  shift 2
  answer=$(curl -sS --max-time 60 -X "$method" -w '\n%{http_code}' "$@" "$url") ||
    fail "$method $url was not answered"
  status=${answer##*"$newline"}
  answer=${answer%"$newline"*}
}

# With a key, and a JSON body where there is one: <method> <path> [body].
signed_in() {
  key=$1 method=$2 url=$ESTAFET_URL$3
  shift 3
  [ $# -eq 0 ] || set -- -H 'Content-Type: application/json' -d "$@"
  call "$method" "$url" -H "Authorization: Bearer $key" "$@"
}
operator() { signed_in "$ESTAFET_OPERATOR_KEY" "$@"; }
tenant() { signed_in "$KEY" "$@"; }

simulator() {
  method=$1 url=$SIMULATOR_URL/simulator$2
  shift 2
  [ $# -eq 0 ] || set -- -d "$1"
  call "$method" "$url" "$@"
}

# want <status> <what>: the last answer had this status.
want() {
  [ "$status" = "$1" ] || fail "$2: expected $1, got $status $answer"
}

# is <expected> <got> <what>
is() {
  [ "$1" = "$2" ] || fail "$3: expected $1, got $2; last answer $answer"
}

has() {
  case $answer in *"$1"*) ;; *) return 1 ;; esac
}

# field <path>: a part of the last answer, such as data.0.id or data.length; nothing when it is not there.
field() {
  printf '%s' "$answer" | node -e '
    const whole = JSON.parse(require("node:fs").readFileSync(0, "utf8"))
    const part = process.argv[1].split(".").reduce((at, name) => at?.[name], whole) ?? ""
    process.stdout.write(typeof part === "object" ? JSON.stringify(part) : String(part))' "$1"
}

# until_true <what> <command...>: looks again until the command succeeds.
until_true() {
  what=$1 deadline=$(($(date +%s) + WAIT))
  shift
  until "$@"; do
    [ "$(date +%s)" -le "$deadline" ] || fail "waited in vain until $what; last answer $status $answer"
    sleep 0.3
  done
}

# new_tenant <digit>: sets TENANT, KEY, NUMBER, WABA and TOKEN; the simulator knows the number too.
new_tenant() {
  NUMBER=7$run$step$1 WABA=8$run$step$1 TOKEN=manual-test-$run-$step-$1
  operator POST /api/admin/tenants "{\"name\": \"Manual test $run, step $step (fictional)\"}"
  want 201 'a tenant'
  TENANT=$(field id)
  operator POST "/api/admin/tenants/$TENANT/api-keys" '{"name": "manual test"}'
  want 201 'a key'
  KEY=$(field key)
  number="{\"waba_id\": \"$WABA\", \"phone_number_id\": \"$NUMBER\", \"display_phone_number\": \"+1 555-0177\", \"access_token\": \"$TOKEN\"}"
  simulator POST /numbers "$number"
  want 201 'a number at the simulator'
  operator POST "/api/admin/tenants/$TENANT/accounts" "$number"
  want 201 'an account'
}

# deliver <payload>: as Meta does, signed over the bytes.
deliver() {
  signature=$(printf '%s' "$1" | openssl dgst -sha256 -hmac "$META_APP_SECRET" | sed 's/^.*= *//')
  call POST "$ESTAFET_URL/api/webhooks/meta/whatsapp" -H 'Content-Type: application/json' \
    -H "X-Hub-Signature-256: sha256=$signature" --data-binary "$1"
}

# change <messages or statuses> <item>: a webhook with one of them.
change() {
  printf '%s' "{\"object\":\"whatsapp_business_account\",\"entry\":[{\"id\":\"$WABA\",\"changes\":[{\"field\":\"messages\",\"value\":{\"messaging_product\":\"whatsapp\",\"metadata\":{\"display_phone_number\":\"15550177\",\"phone_number_id\":\"$NUMBER\"},\"$1\":[$2]}}]}]}"
}
text_from() {
  change messages "{\"from\":\"$1\",\"id\":\"wamid.manual$run$step$2\",\"timestamp\":\"$(date +%s)\",\"type\":\"text\",\"text\":{\"body\":\"Good morning $2\"}}"
}

# customer_writes <number>: a customer of the simulator; afterwards the 24-hour window is open on both sides.
customer_writes() {
  simulator POST "/customers/$1/messages" "{\"phone_number_id\": \"$NUMBER\", \"type\": \"text\", \"text\": {\"body\": \"Hello\"}}"
  want 201 'a customer writes'
  until_true 'the conversation is there' conversation_is_there "$1"
}
conversation_is_there() {
  tenant GET "/api/whatsapp/conversations?q=$1"
  has "\"contact_wa_id\":\"$1\""
}

# send_text <to> <text>: sets MESSAGE.
send_text() {
  tenant POST /api/whatsapp/meta/send "{\"to\": \"$1\", \"text\": {\"body\": \"$2\"}}"
  want 202 'a message is queued'
  MESSAGE=$(field message_id)
}
message_is() {
  tenant GET "/api/whatsapp/messages/$MESSAGE"
  has "\"status\":\"$1\""
}
message_reached() {
  tenant GET "/api/whatsapp/messages/$MESSAGE"
  has "{\"status\":\"$1\""
}
# Meta has accepted it, however far it has come since.
message_is_out() { message_reached sent; }

fault() { simulator POST /faults "$1" && want 201 'a fault'; }

# send_templates <how many>: to as many contacts, forty at a time, by one curl; a template needs no open window.
send_templates() {
  tenant POST /api/whatsapp/meta/templates/sync
  want 200 'templates are listed'
  orders=$folder/orders-$step sent=0
  while [ $sent -lt "$1" ]; do
    sent=$((sent + 1))
    [ $sent -eq 1 ] || echo next
    cat <<ORDER
url = "$ESTAFET_URL/api/whatsapp/meta/send"
silent
output = "/dev/null"
write-out = "%{http_code}\n"
header = "Authorization: Bearer $KEY"
header = "Content-Type: application/json"
data = "{\"to\": \"1650555$((1000 + sent))\", \"type\": \"template\", \"template\": {\"name\": \"order_update\", \"language\": {\"code\": \"en_US\"}, \"components\": [{\"type\": \"body\", \"parameters\": [{\"type\": \"text\", \"text\": \"Mara\"}, {\"type\": \"text\", \"text\": \"$sent\"}]}]}}"
ORDER
  done >"$orders"
  taken=$(curl --parallel --parallel-max 40 --config "$orders" 2>/dev/null | grep -c '^202$')
  is "$1" "$taken" 'messages queued'
}
nothing_is_queued() {
  tenant GET '/api/whatsapp/messages?status=queued&limit=1'
  has '"data":[]'
}
# all_are_out <how many>: the simulated Meta's own books.
all_are_out() {
  until_true 'the queue is empty' nothing_is_queued
  simulator GET "/ledger/sends?phone_number_id=$NUMBER&limit=1"
  is "$1" "$(field total)" 'messages that Meta accepted'
  simulator GET "/ledger/accepted-twice?phone_number_id=$NUMBER"
  is '[]' "$(field by_body)" 'messages that Meta accepted twice'
}

# --- the steps --------------------------------------------------------------------------------------------------------

step_1() {
  handshake="$ESTAFET_URL/api/webhooks/meta/whatsapp?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token="
  call GET "$handshake$META_VERIFY_TOKEN"
  want 200 'the right token'
  is 1158201444 "$answer" 'the challenge'
  call GET "${handshake}wrong"
  want 403 'a wrong token'
}

step_2() {
  new_tenant 1
  payload=$(text_from 16505550101 1)
  for header in 'X-Nothing: 1' "X-Hub-Signature-256: sha256=$(printf '%064d' 0)"; do
    call POST "$ESTAFET_URL/api/webhooks/meta/whatsapp" -H "$header" --data-binary "$payload"
    want 401 "$header"
    has INVALID_SIGNATURE || fail "no code in $answer"
  done
  # What came later and is there shows that the others are not merely late.
  deliver "$(text_from 16505550102 2)"
  want 200 'a right signature'
  until_true 'the signed one is there' conversation_is_there 16505550102
  ! conversation_is_there 16505550101 || fail "the unsigned one was stored: $answer"
}

step_3() {
  new_tenant 1
  payload=$(text_from 16505550103 1)
  for _ in 1 2 3; do
    deliver "$payload"
    want 200 'a delivery'
  done
  until_true 'the conversation is there' conversation_is_there 16505550103
  CONVERSATION=$(field data.0.id)
  deliver "$(text_from 16505550103 2)"
  until_true 'the second message is there' conversation_has 'Good morning 2'
  is 2 "$(field data.length)" 'messages in one conversation'

  customer_writes 16505550104
  send_text 16505550104 'Is ten o’clock fine?'
  until_true 'it was delivered' message_reached delivered
  status_again=$(change statuses "{\"id\":\"$(field wamid)\",\"status\":\"delivered\",\"timestamp\":\"$(date +%s)\",\"recipient_id\":\"16505550104\"}")
  for _ in 1 2 3; do
    deliver "$status_again"
    want 200 'a status'
  done
  deliver "$(text_from 16505550103 3)"
  until_true 'what came after them is there' conversation_has 'Good morning 3'
  message_reached delivered || fail "it is not delivered any more: $answer"
  is 1 "$(field timeline | grep -o '"delivered"' | wc -l | tr -d ' ')" 'entries for delivered in the timeline'
}
conversation_has() {
  tenant GET "/api/whatsapp/conversations/$CONVERSATION/messages"
  has "$1"
}

step_4() {
  deliver "not JSON $run"
  want 200 'a malformed webhook'
  until_true 'its dead letter is there' malformed_is_kept
}
malformed_is_kept() {
  operator GET '/api/admin/whatsapp/dlq?kind=malformed&limit=20'
  for letter in $(printf '%s' "$answer" | grep -o 'dlq_[0-9a-z]*'); do
    operator GET "/api/admin/whatsapp/dlq/$letter"
    if has "\"raw\":\"not JSON $run\""; then return 0; fi
  done
  return 1
}

step_5() {
  new_tenant 1
  tenant POST /api/whatsapp/meta/send '{"to": "16505550105", "text": {"body": "Hello"}}'
  want 422 'nobody has written from there'
  has WINDOW_CLOSED || fail "no code in $answer"
  customer_writes 16505550105
  body='{"to": "+1 650 555 0105", "text": {"body": "Good morning"}}'
  tenant POST /api/whatsapp/meta/send "$body" -H "Idempotency-Key: manual-$run"
  want 202 'a message is queued'
  MESSAGE=$(field message_id)
  tenant POST /api/whatsapp/meta/send "$body" -H "Idempotency-Key: manual-$run" -D "$folder/headers-$step"
  want 202 'the same key again'
  is "$MESSAGE" "$(field message_id)" 'the message of the same key'
  grep -qi '^idempotent-replayed: true' "$folder/headers-$step" || fail 'no Idempotent-Replayed'
  for reached in queued sent delivered; do
    until_true "it is $reached" message_reached "$reached"
  done
  all_are_out 1
}

step_6() {
  new_tenant 1
  customer_writes 16505550106
  fault "{\"fault\": \"throttle\", \"code\": 130429, \"http_status\": 429, \"count\": 1, \"match\": {\"phone_number_id\": \"$NUMBER\", \"endpoint\": \"messages\"}}"
  send_text 16505550106 'You are early'
  until_true 'it is out' message_is_out
  is 2 "$(field attempts)" 'attempts'
  all_are_out 1
}

step_7() {
  new_tenant 1
  fault "{\"id\": \"manual-$run\", \"fault\": \"outage\", \"match\": {\"phone_number_id\": \"$NUMBER\", \"endpoint\": \"messages\"}}"
  send_templates 12
  sleep "$outage_seconds"
  ! nothing_is_queued || fail 'nothing waits, although Meta is away'
  simulator DELETE "/faults/manual-$run"
  want 200 'the outage ends'
  all_are_out 12
}

step_8() {
  new_tenant 2
  small_key=$KEY small_number=$NUMBER
  customer_writes 16505550108
  new_tenant 1
  large_key=$KEY large_number=$NUMBER
  # Meta is slow for this one, so that its queue is surely still full when the other one sends.
  fault "{\"id\": \"slow-$run\", \"fault\": \"slow\", \"delay\": \"2s\", \"match\": {\"phone_number_id\": \"$NUMBER\", \"endpoint\": \"messages\"}}"
  send_templates "$flood"
  KEY=$small_key
  send_text 16505550108 'We will be there'
  until_true 'the other tenant’s message is out' message_is_out
  KEY=$large_key NUMBER=$large_number
  ! nothing_is_queued || fail 'the flood was over before'
  simulator DELETE "/faults/slow-$run"
  want 200 'Meta is quick again'
  all_are_out "$flood"
  KEY=$small_key NUMBER=$small_number
  all_are_out 1
}

step_9() {
  new_tenant 1
  customer_writes 16505550109
  tenant GET /api/whatsapp/accounts
  ACCOUNT=$(field data.0.id)
  simulator PATCH /tokens "{\"access_token\": \"$TOKEN\", \"state\": \"revoked\"}"
  want 200 'the token is revoked'
  send_text 16505550109 'This one waits'
  until_true 'the account needs a person' account_is needs_reauth
  tenant POST /api/whatsapp/meta/send '{"to": "16505550109", "text": {"body": "Refused"}}'
  want 409 'a send without a token'
  has WHATSAPP_REAUTH_REQUIRED && has reconnect_url || fail "no way out in $answer"
  message_is queued || fail "it does not wait: $answer"

  tenant POST /api/integrations/meta/whatsapp/reconnect "{\"account_id\": \"$ACCOUNT\"}"
  want 200 'reconnect'
  state=$(field state)
  # What a person and Meta do on the page behind the url of that answer.
  simulator POST /codes "{\"waba_ids\": [\"$WABA\"]}"
  call GET "$ESTAFET_URL/api/integrations/meta/whatsapp/callback?state=$state&code=$(field code)&waba_id=$WABA&phone_number_id=$NUMBER"
  want 200 'the way back from Meta'
  account_is ok || fail "it is not connected: $answer"
  until_true 'what waited is out' message_is_out
}
account_is() {
  tenant GET /api/whatsapp/accounts
  has "\"auth_status\":\"$1\""
}

step_10() {
  new_tenant 1
  customer_writes 16505550110
  fault "{\"fault\": \"error\", \"code\": 131009, \"http_status\": 400, \"count\": 1, \"match\": {\"phone_number_id\": \"$NUMBER\", \"endpoint\": \"messages\"}}"
  send_text 16505550110 'Refused once'
  until_true 'it failed' message_is failed
  is 1 "$(field attempts)" 'attempts'
  tenant GET "/api/whatsapp/dlq?message_id=$MESSAGE"
  LETTER=$(field data.0.id)
  tenant GET "/api/whatsapp/dlq/$LETTER"
  want 200 'inspect'
  is 131009 "$(field provider_code)" 'Meta’s code'
  tenant POST "/api/whatsapp/dlq/$LETTER/requeue" '{}'
  want 400 'without a reason'
  tenant POST "/api/whatsapp/dlq/$LETTER/requeue" '{"reason": "Meta takes it now"}'
  want 200 'requeue'
  until_true 'it is out' message_is_out
  tenant POST "/api/whatsapp/dlq/$LETTER/requeue" '{"reason": "once more"}'
  want 409 'deciding twice'
  tenant GET /api/whatsapp/audit
  has 'Meta takes it now' || fail "the audit does not know why: $answer"
  all_are_out 1
}

step_11() {
  new_tenant 1
  customer_writes 16505550111
  send_text 16505550111 'For you alone'
  new_tenant 2
  tenant GET "/api/whatsapp/messages/$MESSAGE"
  want 404 'another tenant’s message'
  tenant GET /api/admin/tenants
  want 403 'a tenant at the operator’s door'
  for path in process_inbound process_outbound sweep; do
    call POST "$ESTAFET_URL/internal/$path" -H 'X-Internal-Token: wrong' -d '{}'
    want 401 "/internal/$path"
  done
}

step_12() {
  operator GET /api/admin/whatsapp/health
  want 200 health
  for name in status webhook_events_pending_count outbox_pending_count outbox_failed_count send_success_rate_last_1h \
    webhook_ack_p95_ms inbound_processing_p95_ms send_p95_ms dlq_count oldest_pending_seconds circuits_open \
    accounts_needing_reauth tenants; do
    has "\"$name\":" || fail "$name is not in $answer"
  done
  p95=$(field webhook_ack_p95_ms)
  for path in healthz readyz; do
    call GET "$ESTAFET_URL/$path"
    want 200 "/$path"
  done
  echo "webhooks are answered within $p95 ms (p95); 200 are asked for"
}

# --- running them -----------------------------------------------------------------------------------------------------

if [ -t 1 ]; then green='\033[32m' red='\033[31m' plain='\033[0m'; else green='' red='' plain=''; fi

# begin <step>: in a process of its own beside this one, so that a failure ends this step alone and Ctrl-C all of them; what it
# says and how it ends goes to files.
begin() {
  (
    step=$1
    trap 'echo $? >"$folder/code-$step"' EXIT
    set -e
    "step_$1"
  ) >"$folder/said-$1" 2>&1 &
  running="$running $!"
}

# What runs beside a shell does not hear Ctrl-C by itself.
stop() {
  trap '' INT TERM
  kill $running 2>/dev/null
  wait
  exit 130
}

# report <step>
report() {
  code=$(cat "$folder/code-$1")
  name=$(printf '%s\n' "$titles" | sed -n "$1p")
  if [ "$code" = 0 ]; then verdict="${green}PASS$plain"; else verdict="${red}FAIL$plain" failed=$((failed + 1)); fi
  printf "%2d  $verdict  %s\n" "$1" "$name"
  sed 's/^/          /' "$folder/said-$1"
}

refuse() {
  printf '%s\n' "$*" >&2
  exit 2
}

quick=0 steps=''
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage && exit 0 ;;
    --list) printf '%s\n' "$titles" | awk '{ printf "%2d  %s\n", NR, $0 }' && exit 0 ;;
    --quick) quick=1 ;;
    --step)
      shift
      case ${1:-} in '' | *[!0-9]*) refuse '--step needs a number; --list names the steps' ;; esac
      [ "$1" -ge 1 ] && [ "$1" -le $count ] || refuse "there are steps 1 to $count; --list names them"
      steps="$steps $1"
      ;;
    *) refuse "$1 is not an option; --help names them" ;;
  esac
  shift
done
steps=${steps:-$(awk "BEGIN { for (step = 1; step <= $count; step++) print step }")}
if [ $quick -eq 1 ]; then outage_seconds=3 flood=40; else outage_seconds=120 flood=1000; fi

for program in curl openssl node; do
  command -v $program >/dev/null || refuse "$program is not installed"
done
if [ -z "${ESTAFET_URL:-}" ] && [ -f .estafet/dev.env ]; then . ./.estafet/dev.env; fi
for name in ESTAFET_URL ESTAFET_OPERATOR_KEY META_APP_SECRET META_VERIFY_TOKEN SIMULATOR_URL; do
  eval "[ -n \"\${$name:-}\" ]" || refuse "$name is not set. Start \`npm run dev\` in this folder, or set it."
done
WAIT=${WAIT:-900}
run=$(date +%s)$$
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap stop INT TERM

failed=0 running=''
if [ $quick -eq 1 ]; then
  for step in $steps; do begin "$step"; done
  wait
  for step in $steps; do report "$step"; done
else
  for step in $steps; do
    begin "$step"
    wait
    report "$step"
  done
fi
[ $failed -eq 0 ] || exit 1
