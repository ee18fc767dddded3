# Fills the working folder with what the commands of bad_inputs.txt take.
set -e
echo '{"experiment": "train", "batches": 7}' > c.json
cp c.json d.json
echo '{"experiment": "train", "device": "cpu"}' > cpu.json
echo '{"base": {"experiment": "train"}, "axes": {"/batches": [1, 2]}}' > s.json
echo '{"experiment": "program", "command": ["sh", "{x}"], "arguments": {"x": 1}}' > p.json
echo '{"base": {"experiment": "train"}, "axes": {"/batches": 3}}' > bad-axis.json
echo '{"base": {"experiment": "train"}, "axes": {"/batches": []}}' > empty-axis.json
echo '{"base": {"experiment": "train"}, "zip": {"/batches": [1, 2], "/seed": [1]}}' > zip.json
echo '{"base": {"experiment": "train"}, "axes": {"/batches": {"from": 1, "to": 1e9}, "/seed": {"from": 1, "to": 1e9}}}' > huge.json
echo '{"base": {"experiment": "train"}, "axes": {"/nothing": [1]}}' > unknown-axis.json
echo '{"base": "nothing.json", "axes": {"/batches": [1]}}' > base-missing.json
echo '{"base": [], "axes": {"/batches": [1]}}' > base-list.json
echo '{"base": {"experiment": "train"}, "repeats": 0}' > repeats.json
echo '{"axes": {"/batches": [1]}}' > nobase.json
echo '{"base": {"experiment": "train"}, "axes": [1]}' > axes-list.json
: > empty.json; echo '[1]' > list.json; echo 3 > number.json; echo null > null.json; echo '"train"' > text.json
echo '{"experiment": "train", "batches": 7,}' > trailing.json
echo '{experiment: "train"}' > unquoted.json
echo "{'experiment': 'train'}" > single.json
echo '{"experiment": "train" /* so */}' > comment.json
echo '{"experiment": "train", "sync": {' > cut.json
echo '{"experiment": "train", "batches": 1, "batches": 2}' > twice.json
yes '{"sync":' | head -2000 | tr -d '\n' > deep.json
head -c 20000000 /dev/zero | tr '\0' ' ' > big.json
echo '{"experiment": "train", "seconds": NaN}' > nan.json
printf '{"experiment": "tr\377ain"}' > utf.json
printf '{"experiment": "train"}\0' > zero.json
echo '{"experiment": "train"} {}' > two.json
printf '\357\273\277{"experiment": "train", "batches": 0}' > bom.json
ln -sf loop.json loop.json
mkdir -p empty good broken half norecord good-other
echo '{}' > broken/record.json
echo '{"id": 3}' > half/records.jsonl
echo '{"base": {"experiment": "train"}, "axes": {"/batches": [1, 3]}}' > good-other/sweep.json; echo x > good-other/records.jsonl
echo '{"id": 3}' > norecord/records.jsonl; echo '{"base": {"experiment": "train"}, "axes": {"/batches": [1, 2]}}' > norecord/sweep.json
for folder in good-other half norecord; do mkdir -p $folder/cells; done
mkdir -p a-run a-tuning a-sample
echo mine > m.processes.csv
echo '{}' > a-run/record.json; echo '{}' > a-tuning/tune.json; echo x > a-sample/samples.csv
mkdir -p strange-run/record.json torn-run
printf '{"schema_version": 1, "id": "a' > torn-run/record.json
echo '{"base": "own-base.json", "axes": {"/batches": [1, 2]}}' > own-base.json
printf '{"experiment": "tr\033ain"}' > escape.json
