/**
 * What a shell runs at each Tab. All of them ask the command itself, by the name that was typed, for lines of a
 * candidate, a tab and what it is; where there is none they complete paths.
 */
export const SHELLS = {
  // The line is split by spaces alone: bash also splits at ":" and "=", which ids may contain.
  bash: `_checkpoint_inspector() {
  local line="\${COMP_LINE:0:COMP_POINT}" words found name
  read -a words <<< "$line"
  if [[ "$line" == *[[:space:]] ]]; then words+=(""); fi
  local word="\${words[\${#words[@]}-1]}"
  # Of a word with ":" or "=" bash replaces what follows the last of them.
  local kept="\${word%"\${word##*[:=]}"}"
  COMPREPLY=()
  while IFS=$'\\t' read -r name found; do
    printf -v name %q "\${name#"$kept"}"
    COMPREPLY+=("$name")
  done < <("$1" completion bash -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _checkpoint_inspector checkpoint-inspector
`,
  zsh: `#compdef checkpoint-inspector
_checkpoint_inspector() {
  local -a names shown
  local name about
  while IFS=$'\\t' read -r name about; do
    names+=("$name")
    shown+=("$name\${about:+  -- $about}")
  done < <("\${(Q)words[1]}" completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  if (( $#names )); then compadd -l -d shown -a names; else _files; fi
}
compdef _checkpoint_inspector checkpoint-inspector
`,
  fish: `function __checkpoint_inspector
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  # The word as it is typed, "nightly\\ run": the command wants it as a program would get it.
  set -l word (string unescape -- "$current"; or printf '%s' "$current")
  set -l found ($words[1] completion fish -- $words[2..-1] "$word" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c checkpoint-inspector -f -a '(__checkpoint_inspector)'
`,
} as const;
