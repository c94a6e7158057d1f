#include "base/text.hpp"
#include "commands/learner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace tutor::commands {
namespace {

constexpr std::string_view for_bash =
    R"sh(# Completion of ./tutor in bash: eval "$(./tutor completion bash)"
_build_first_tutor() {
  local word=${COMP_WORDS[COMP_CWORD]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="@commands@"
  else
    case ${COMP_WORDS[1]} in
      learn | check | hint | diff | predict | reset) words="@exercises@" ;;
      run | observe | steps | bench | lesson) words="@chapters@" ;;
      completion) words="bash zsh fish" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _build_first_tutor tutor ./tutor
)sh";

constexpr std::string_view for_zsh =
    R"sh(# Completion of ./tutor in zsh: eval "$(./tutor completion zsh)"
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
_build_first_tutor() {
  if (( CURRENT == 2 )); then
    compadd -- @commands@
    return
  fi
  case $words[2] in
    (learn|check|hint|diff|predict|reset) compadd -- @exercises@ ;;
    (run|observe|steps|bench|lesson) compadd -- @chapters@ ;;
    (completion) compadd -- bash zsh fish ;;
  esac
  _files
}
compdef _build_first_tutor tutor ./tutor
)sh";

constexpr std::string_view for_fish =
    R"sh(# Completion of ./tutor in fish: ./tutor completion fish | source
complete -c tutor -n '__fish_use_subcommand' -f -a '@commands@'
complete -c tutor -n '__fish_seen_subcommand_from learn check hint diff predict reset' -f -a '@exercises@'
complete -c tutor -n '__fish_seen_subcommand_from run observe steps bench lesson' -a '@chapters@'
complete -c tutor -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'
)sh";

} // namespace

Exit completion(const Course &course, const LearnerRequest &request) {
  const std::string &shell = request.shell;
  std::string script;
  for (const auto &[name, text] :
       {std::pair("bash", for_bash), std::pair("zsh", for_zsh), std::pair("fish", for_fish)}) {
    script = shell == name ? text : script;
  }
  if (script.empty()) {
    throw wrong_usage("no shell '{}'; there are: bash, zsh, fish", shell);
  }

  const auto fill = [&](std::string_view place, const std::vector<std::string> &names) {
    script = replaced(std::move(script), place, fmt::format("{}", fmt::join(names, " ")));
  };
  fill("@commands@", request.commands());
  fill("@exercises@", each(exercises_of(course), &Exercise::name));
  fill("@chapters@", each(course.chapters(), &Chapter::id));
  fmt::print("{}", script);
  return Exit::ok;
}

} // namespace tutor::commands
