/**
 * Scripts that make each shell call holt for completions. The words are already filtered, and no shell
 * expands them again.
 */

const bash = `# holt completion for bash: eval "$(holt completion bash)"
_holt() {
  local IFS=$'\\n'
  mapfile -t COMPREPLY < <(holt completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # After the name of an argument comes its value.
  if [[ "\${COMPREPLY[0]-}" == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _holt holt`;

const zsh = `#compdef holt
# holt completion for zsh: eval "$(holt completion zsh)"
_holt() {
  local -a words_found
  words_found=("\${(@f)$(holt completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#words_found} )) && [[ -n "\${words_found[1]}" ]]; then
    compadd -S '' -- "\${(@M)words_found:#*=}"
    compadd -- "\${(@)words_found:#*=}"
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

const powershell = `# holt completion for PowerShell: holt completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName holt -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  # Windows PowerShell drops empty words.
  if ($wordToComplete -eq '') { $typed += '""' }
  holt completion words -- @typed 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`;

export const completionScripts = { bash, zsh, fish, powershell } as const;
