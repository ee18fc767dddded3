#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "core/base/text.h"

namespace runahead::apps {

namespace {

std::vector<const CLI::App*> shown_commands(const CLI::App& program) {
  return program.get_subcommands(
      [](const CLI::App* command) { return !command->get_group().empty(); });
}

/// The options of a command that have a long name.
std::vector<const CLI::Option*> long_options(const CLI::App& command) {
  std::vector<const CLI::Option*> options = command.get_options();
  std::erase_if(options, [](const CLI::Option* option) { return option->get_lnames().empty(); });
  return options;
}

std::string option_words(const CLI::App& command) {
  std::string words;
  for (const CLI::Option* option : long_options(command)) {
    words += (words.empty() ? "--" : " --") + option->get_lnames().front();
  }
  return words;
}

std::string bash_script(const CLI::App& program) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : shown_commands(program)) {
    commands += command->get_name() + " ";
    cases += "      " + command->get_name() + ") words='" + option_words(*command) + "' ;;\n";
  }
  return "# Completion for bash: source <(runahead completion bash)\n"
         "_runahead() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} words=\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    words='" +
         commands + option_words(program) +
         "'\n"
         "  elif [[ $word == -* ]]; then\n"
         "    case ${COMP_WORDS[1]} in\n" +
         cases +
         "    esac\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -F _runahead runahead\n";
}

/// Escapes text for the single quotes and, in option descriptions, the brackets of a zsh word.
std::string zsh_text(const std::string& text) {
  return with_replacements(text, {{'\'', "'\\''"}, {'[', "\\["}, {']', "\\]"}, {'\\', "\\\\"}});
}

/// One line for each option, and one that completes other words as files.
std::string zsh_arguments(const CLI::App& command) {
  std::string lines;
  for (const CLI::Option* option : long_options(command)) {
    const bool takes_value = option->get_items_expected_max() > 0;
    const bool may_be_repeated = option->get_items_expected_max() > 1;
    lines += std::string("        '") + (may_be_repeated ? "*" : "") + "--" +
             option->get_lnames().front() + (takes_value ? "=" : "") + "[" +
             zsh_text(option->get_description()) + "]" + (takes_value ? ":value:_files" : "") +
             "' \\\n";
  }
  return lines + "        '*:file:_files'\n";
}

std::string zsh_script(const CLI::App& program) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : shown_commands(program)) {
    commands += "    '" + command->get_name() + ":" + zsh_text(command->get_description()) + "'\n";
    cases += "    " + command->get_name() + ")\n      _arguments \\\n" + zsh_arguments(*command) +
             "      ;;\n";
  }
  return "#compdef runahead\n"
         "_runahead() {\n"
         "  local -a commands=(\n" +
         commands +
         "  )\n"
         "  if ((CURRENT == 2)); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  shift words\n"
         "  ((CURRENT -= 1))\n"
         "  case $words[1] in\n" +
         cases +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _runahead ]]; then _runahead; else compdef _runahead runahead; "
         "fi\n";
}

std::string script_for(const std::string& shell, const CLI::App& program) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  throw ConfigError("completion: found '" + shell + "'; allowed: bash, zsh");
}

}  // namespace

Command add_completion_command(CLI::App& program) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* parser =
      program.add_subcommand("completion", "Print a completion script for bash or zsh");
  parser->add_option("shell", *shell, "bash or zsh")->required();
  return {.parser = parser,
          .execute =
              [&program, shell] {
                std::cout << script_for(*shell, program);
                return ExitCode::kOk;
              },
          .missing = {{"shell", "no shell given; allowed: bash, zsh"}}};
}

}  // namespace runahead::apps
