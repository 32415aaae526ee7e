#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <memory>

#include "services/ctl/command.h"

namespace regressd::ctl {
namespace {

// What may follow after a chain of subcommands: "" is the program itself, " commits add" a command.
struct Place {
  std::string path;
  std::vector<std::string> words;
};

std::vector<std::string> OptionsOf(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return words;
}

void Collect(const CLI::App& app, const std::string& path, const std::vector<std::string>& globals,
             std::vector<Place>* places) {
  Place place{.path = path, .words = {}};
  const auto subcommands = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* sub : subcommands) place.words.push_back(sub->get_name());
  for (std::string& word : OptionsOf(app)) place.words.push_back(std::move(word));
  if (!path.empty()) place.words.insert(place.words.end(), globals.begin(), globals.end());
  places->push_back(std::move(place));
  for (const CLI::App* sub : subcommands) {
    Collect(*sub, path + " " + sub->get_name(), globals, places);
  }
}

std::vector<Place> PlacesOf(const CLI::App& app) {
  std::vector<std::string> globals;
  for (std::string& word : OptionsOf(app)) {
    if (word != "--help" && word != "--version") globals.push_back(std::move(word));
  }
  std::vector<Place> places;
  Collect(app, "", globals, &places);
  return places;
}

// bash and zsh read the same: from the words so far to the place, from the place to candidates.
std::string PosixCases(const std::vector<Place>& places) {
  std::vector<std::string> patterns;
  for (const Place& place : places) {
    if (!place.path.empty()) patterns.push_back("\"" + place.path + "\"");
  }
  return fmt::format("  case \"$path $word\" in\n    {}) path=\"$path $word\" ;;\n  esac\n",
                     fmt::join(patterns, " | "));
}

std::string PosixWords(const std::vector<Place>& places) {
  std::string text = "  case \"$path\" in\n";
  for (const Place& place : places) {
    fmt::format_to(std::back_inserter(text), "    \"{}\") candidates=\"{}\" ;;\n", place.path,
                   fmt::join(place.words, " "));
  }
  return text + "  esac\n";
}

// Ids come from the server, if it answers within a second.
constexpr const char* kPosixIds = R"sh(  case "$path" in
    " run" | " samples" | " stacks" | " observations" | " exclude")
      candidates="$candidates $(regressctl --timeout 1 runs --limit 50 --format csv 2>/dev/null |
        sed 1d | cut -d, -f1 | tr '\n' ' ')" ;;
    " regression" | " report")
      candidates="$candidates $(regressctl --timeout 1 regressions --limit 50 --format csv 2>/dev/null |
        sed 1d | cut -d, -f1 | tr '\n' ' ')" ;;
  esac
)sh";

std::string Bash(const std::vector<Place>& places) {
  return "# bash completion: source <(regressctl completion bash)\n"
         "_regressctl() {\n"
         "  local path=\"\" word candidates=\"\" i\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "  word=\"${COMP_WORDS[i]}\"\n" +
         PosixCases(places) + "  done\n" + PosixWords(places) + kPosixIds +
         "  COMPREPLY=($(compgen -W \"$candidates\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
         "}\n"
         "complete -o default -F _regressctl regressctl\n";
}

std::string Zsh(const std::vector<Place>& places) {
  // `path` is the search path in zsh; hence another name there.
  std::string body = "  for ((i = 2; i < CURRENT; i++)); do\n  word=\"${words[i]}\"\n" +
                     PosixCases(places) + "  done\n" + PosixWords(places) + kPosixIds;
  for (std::size_t at = body.find("path"); at != std::string::npos;
       at = body.find("path", at + 5)) {
    body.replace(at, 4, "place");
  }
  return "#compdef regressctl\n"
         "# zsh completion: source <(regressctl completion zsh)\n"
         "_regressctl() {\n"
         "  local place=\"\" word candidates=\"\" i\n" +
         body +
         "  compadd -- ${=candidates}\n"
         "}\n"
         "compdef _regressctl regressctl\n";
}

std::string Fish(const std::vector<Place>& places) {
  std::string text =
      "# fish completion: regressctl completion fish | source\n"
      "function __regressctl_candidates\n"
      "  set -l place \"\"\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    switch \"$place $word\"\n";
  for (const Place& place : places) {
    if (!place.path.empty()) {
      fmt::format_to(std::back_inserter(text),
                     "      case \"{}\"\n        set place \"$place $word\"\n", place.path);
    }
  }
  text += "    end\n  end\n  switch \"$place\"\n";
  for (const Place& place : places) {
    fmt::format_to(std::back_inserter(text), "    case \"{}\"\n      printf '%s\\n' {}\n",
                   place.path, fmt::join(place.words, " "));
  }
  return text +
         "  end\n"
         "  switch \"$place\"\n"
         "    case \" run\" \" samples\" \" stacks\" \" observations\" \" exclude\"\n"
         "      regressctl --timeout 1 runs --limit 50 --format csv 2>/dev/null | sed 1d | cut "
         "-d, -f1\n"
         "    case \" regression\" \" report\"\n"
         "      regressctl --timeout 1 regressions --limit 50 --format csv 2>/dev/null | sed 1d "
         "| cut -d, -f1\n"
         "  end\n"
         "end\n"
         "complete -c regressctl -a '(__regressctl_candidates)'\n";
}

}  // namespace

void AddCompletionCommand(Commands& commands) {
  CLI::App* app = commands.app.add_subcommand("completion", "Print a script for your shell");
  auto shell = std::make_shared<std::string>();
  app->add_option("shell", *shell, "Which")
      ->required()
      ->type_name("bash|zsh|fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  commands.work[app] = [shell, root = &commands.app](Context& context) -> absl::StatusOr<ExitCode> {
    const std::vector<Place> places = PlacesOf(*root);
    context.output.Write(*shell == "bash"  ? Bash(places)
                         : *shell == "zsh" ? Zsh(places)
                                           : Fish(places));
    return ExitCode::kOk;
  };
}

}  // namespace regressd::ctl
