/* tables of options: the manual page, and completion for bash and zsh. */
#include "cli.h"

/* ---- the manual page, in the man macros ----------------------------------------------------------------------------------- */

/* dashes are to be copied as they are, and a line must not begin with a macro */
static void roff(FILE *to, const char *text) {
  bool begin = true;
  for (; *text; text++) {
    if (begin && (*text == '.' || *text == '\'')) fputs("\\&", to);
    begin = *text == '\n';
    if (*text == '-')
      fputs("\\-", to);
    else if (*text == '\\')
      fputs("\\e", to);
    else if (*text == '\'')
      fputs("\\(aq", to);
    else if (*text == '`')
      fputs("\\(ga", to);
    else if (*text == '\n')
      fputs("\n.PP\n", to);
    else
      fputc(*text, to);
  }
}

static void roff_options(FILE *to, const option *table) {
  for (const option *o = table; o && o->flag; o++) {
    fputs(".TP\n.B ", to);
    if (o->also) {
      roff(to, o->also);
      fputs(", ", to);
    }
    roff(to, o->flag);
    if (o->value) fprintf(to, " \\fI%s\\fR", o->value);
    fputc('\n', to);
    roff(to, o->doc);
    fputc('\n', to);
  }
}

void tn_manual(FILE *to) {
  fprintf(to,
          ".TH TENON 1 \"\" \"tenon %s\" \"User Commands\"\n.SH NAME\ntenon \\- dynamics of constrained multibody "
          "systems\n.SH SYNOPSIS\n",
          TN_VERSION);
  for (const command *const *c = tn_cli_commands; *c; c++) {
    fprintf(to, ".B tenon %s\n", (*c)->name);
    if (*(*c)->takes) {
      fputs(".I ", to);
      roff(to, (*c)->takes);
      fputc('\n', to);
    }
    if ((*c)->options || (*c)->shared) fputs("[\\fIoptions\\fR]\n", to);
    fputs(".br\n", to);
  }
  fputs(".SH DESCRIPTION\nA mechanism is described once, in a JSON file of bodies and joints; tenon simulates it with "
        "every joint kept, by whichever method is named, and says how good the result is and what it cost.\n"
        ".SH COMMANDS\n",
        to);
  for (const command *const *c = tn_cli_commands; *c; c++) {
    fprintf(to, ".SS \"tenon %s ", (*c)->name);
    roff(to, (*c)->takes);
    fputs("\"\n", to);
    roff(to, (*c)->doc);
    fputc('\n', to);
    if ((*c)->more) {
      fputs(".PP\n", to);
      roff(to, (*c)->more);
      fputc('\n', to);
    }
    roff_options(to, (*c)->options);
    if ((*c)->shared) fputs(".PP\nThe options under SETTINGS are taken too.\n", to);
  }
  fputs(".SH SETTINGS\nInstead of what the model says:\n", to);
  roff_options(to, tn_cli_settings);
  fputs(".SH EXIT STATUS\n", to);
  for (const char *const *s = tn_cli_exit_codes; *s; s++) {
    const int n = (int)strcspn(*s, " ");
    fprintf(to, ".TP\n.B %.*s\n", n, *s);
    roff(to, *s + 5);
    fputc('\n', to);
  }
  fputs(
      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colour on a terminal\n"
      ".SH FILES\nThe model file is described in model.md, and everything else beside it, in the folder of documents: "
      "share/doc/tenon/docs below the place that tenon is installed under.\n"
      ".SH EXAMPLES\n.nf\ntenon new four_bar\ntenon check four_bar.json\ntenon run four_bar.json \\-o four_bar.csv "
      "\\-o four_bar.svg\n.fi\n",
      to);
}

/* ---- completion ------------------------------------------------------------------------------------------------------------ */

static bool is_kind(const char *word) {
  for (int i = 0; tn_list_kind(i); i++)
    if (strcmp(tn_list_kind(i), word) == 0) return true;
  return false;
}

/* the words that complete something, for those that are not files */
static void choices(FILE *to, const char *what) {
  if (!what) return;
  if (strcmp(what, "example") == 0)
    for (const example *x = tn_cli_examples; x->name; x++) fprintf(to, "%s ", x->name);
  else if (is_kind(what))
    for (int i = 0; tn_list_name(what, i); i++) fprintf(to, "%s ", tn_list_name(what, i));
  else
    fputs(what, to);
}

static bool is_file(const char *what) { return what && (strcmp(what, "file") == 0 || strcmp(what, "model") == 0); }

void tn_completion_bash(FILE *to) {
  fputs("# bash completion for tenon\n_tenon() {\n"
        "  local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
        "  COMPREPLY=()\n  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W '",
        to);
  for (const command *const *c = tn_cli_commands; *c; c++) fprintf(to, "%s ", (*c)->name);
  fputs("--help --version --manual' -- \"$now\"))\n    return\n  fi\n  case $command in\n", to);
  for (const command *const *c = tn_cli_commands; *c; c++) {
    const option *const tables[] = {(*c)->options, (*c)->shared, tn_cli_general};
    fprintf(to, "  %s)\n    case $before in\n", (*c)->name);
    for (int t = 0; t < 3; t++)
      for (const option *o = tables[t]; o && o->flag; o++) {
        if (!o->value) continue;
        fprintf(to, "    %s%s%s) ", o->flag, o->also ? "|" : "", o->also ? o->also : "");
        if (is_file(o->completes)) {
          fputs("compopt -o default 2>/dev/null; return ;;\n", to);
        } else {
          fputs("COMPREPLY=($(compgen -W '", to);
          choices(to, o->completes);
          fputs("' -- \"$now\")); return ;;\n", to);
        }
      }
    fputs("    esac\n    if [[ $now == -* ]]; then\n      COMPREPLY=($(compgen -W '", to);
    for (int t = 0; t < 3; t++)
      for (const option *o = tables[t]; o && o->flag; o++) fprintf(to, "%s ", o->flag);
    fputs("' -- \"$now\"))\n      return\n    fi\n", to);
    if (is_file((*c)->completes)) {
      fputs("    compopt -o default 2>/dev/null ;;\n", to);
    } else {
      if (strcmp((*c)->name, "list") == 0) {
        fputs("    case $before in\n", to);
        for (int i = 0; tn_list_kind(i); i++) {
          fprintf(to, "    %s) COMPREPLY=($(compgen -W '", tn_list_kind(i));
          choices(to, tn_list_kind(i));
          fputs("' -- \"$now\")); return ;;\n", to);
        }
        fputs("    esac\n", to);
      }
      fputs("    COMPREPLY=($(compgen -W '", to);
      choices(to, (*c)->completes);
      fputs("' -- \"$now\")) ;;\n", to);
    }
  }
  fputs("  esac\n}\ncomplete -F _tenon tenon\n", to);
}

/* inside '..' of zsh, where [ ] and : have a meaning of their own */
static void zsh_text(FILE *to, const char *text) {
  for (; *text; text++) {
    if (*text == '\'')
      fputs("'\\''", to);
    else if (*text == '[' || *text == ']' || *text == ':')
      fprintf(to, "\\%c", *text);
    else
      fputc(*text == '\n' ? ' ' : *text, to);
  }
}

static void zsh_values(FILE *to, const char *what) {
  if (is_file(what)) {
    fputs("_files", to);
    return;
  }
  fputc('(', to);
  choices(to, what);
  fputc(')', to);
}

void tn_completion_zsh(FILE *to) {
  fputs("#compdef tenon\n_tenon() {\n  local -a commands\n  commands=(\n", to);
  for (const command *const *c = tn_cli_commands; *c; c++) {
    fprintf(to, "    '%s:", (*c)->name);
    zsh_text(to, (*c)->doc);
    fputs("'\n", to);
  }
  fputs(
      "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n"
      "  words=(\"${(@)words[2,-1]}\")\n  ((CURRENT--))\n  case $command in\n",
      to);
  for (const command *const *c = tn_cli_commands; *c; c++) {
    const option *const tables[] = {(*c)->options, (*c)->shared, tn_cli_general};
    fprintf(to, "  %s)\n    _arguments \\\n", (*c)->name);
    for (int t = 0; t < 3; t++)
      for (const option *o = tables[t]; o && o->flag; o++) {
        for (int k = 0; k < (o->also ? 2 : 1); k++) {
          fprintf(to, "      '%s%s[", o->repeats ? "*" : "", k ? o->also : o->flag);
          zsh_text(to, o->doc);
          fputc(']', to);
          if (o->value) {
            fputc(':', to);
            zsh_text(to, o->value);
            fputc(':', to);
            zsh_values(to, o->completes);
          }
          fputs("' \\\n", to);
        }
      }
    if ((*c)->most) {
      fputs("      '*:", to);
      zsh_text(to, (*c)->takes);
      fputc(':', to);
      zsh_values(to, (*c)->completes);
      fputs("'\n", to);
    } else {
      fputs("      && return\n", to);
    }
    fputs("    ;;\n", to);
  }
  fputs("  esac\n}\n_tenon \"$@\"\n", to);
}
