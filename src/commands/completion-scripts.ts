/** What each shell needs to ask holt for words. The words arrive filtered; no shell expands them again. */

const bash = `# holt completion for bash: eval "$(holt completion bash)"
_holt() {
  local IFS=$'\\n'
  mapfile -t COMPREPLY < <(holt completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _holt holt`;

const zsh = `#compdef holt
# holt completion for zsh: eval "$(holt completion zsh)"
_holt() {
  local -a words_found
  words_found=("\${(@f)$(holt completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#words_found} )) && [[ -n "\${words_found[1]}" ]]; then
    compadd -- "\${words_found[@]}"
  else
    _files
  fi
}
compdef _holt holt`;

const fish = `# holt completion for fish: holt completion fish | source
function __holt_words
  set -l typed (commandline -opc) (commandline -ct)
  holt completion words -- $typed[2..-1] 2>/dev/null
end
complete -c holt -a '(__holt_words)'`;

export const completionScripts = { bash, zsh, fish } as const;
