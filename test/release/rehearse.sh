#!/usr/bin/env bash
# npm run rehearse: a release from a throw-away clone of the last commit, and all of its publication but the upload. Nothing leaves this
# machine.
set -euo pipefail
packages=$PWD/node_modules
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# No setting of a runner of GitHub; in `CI`, release-it asks nothing and raises the last number of the version.
for name in $(compgen -e | grep -E '^(GITHUB_|npm_|NODE_AUTH_TOKEN)'); do unset "$name"; done
export CI=true GIT_CONFIG_GLOBAL=$folder/gitconfig
printf '[user]\n\tname = Rehearsal\n\temail = rehearsal@example.com\n' >"$GIT_CONFIG_GLOBAL"

git init --quiet --bare --initial-branch=main "$folder/remote.git"
git push --quiet "$folder/remote.git" HEAD:refs/heads/main
git clone --quiet "$folder/remote.git" "$folder/clone"
cd "$folder/clone"
ln -s "$packages" node_modules
echo node_modules >.git/info/exclude
before=$(git rev-parse HEAD)

# The local half: n8n's tool raises the version, commits, tags and pushes.
npm run release
git show --stat --format=%s HEAD
version=$(node -p 'require("./package.json").version')
set -x
test "$(git rev-parse HEAD~1)" = "$before"
test "$(git --git-dir="$folder/remote.git" rev-parse main "$version^{commit}" | uniq)" = "$(git rev-parse HEAD)"
test -z "$(git status --porcelain)"

# The half of the runner, on the tag: the checks and steps of publish.yml, and all of a publication but the upload.
git clone --quiet --branch "$version" "$folder/remote.git" "$folder/runner" 2>/dev/null
cd "$folder/runner"
ln -s "$packages" node_modules
checks=$(grep -oE 'run: (test|grep) .+GITHUB_REF_NAME.+' .github/workflows/publish.yml | cut -c6-)
test "$(wc -l <<<"$checks")" -eq 2
GITHUB_REF_NAME=$version bash -euxc "$checks"
git merge-base --is-ancestor HEAD origin/main
npm run lint
npm run build
npm pack --silent --ignore-scripts
test "$(tar xzOf ./*.tgz package/package.json | grep -c publishConfig)" = 0
npm publish ./*.tgz --ignore-scripts --dry-run

# What n8n's scanner checks: the source has one manifest, and what is published was built from it.
test "$(git ls-files '*package.json')" = package.json
tar xzf ./*.tgz
diff -r "$folder/clone/dist" package/dist
