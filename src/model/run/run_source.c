// SPDX-License-Identifier: Apache-2.0
#include "model/run/run_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/names.h"
#include "base/shell_word.h"
#include "base/sort.h"
#include "base/words.h"
#include "model/run/judged_loss.h"
#include "model/run/run_join.h"
#include "read/dump/run_names.h"
#include "read/log/series_name.h"
#include "read/log/series_source.h"

// "NAME=" in front of a path: letters before the first '=', with no slash and no such file.
static Str split_name(Str *argument, Arena *arena)
{
    size_t at = str_find_char(*argument, '=', 0);
    if (at == SIZE_MAX || at == 0 || file_kind(str_cstr(arena, *argument)) != FILE_NONE)
        return STR("");
    Str name = str_slice(*argument, 0, at);
    if (str_find_char(name, '/', 0) != SIZE_MAX)
        return STR("");
    *argument = str_slice(*argument, at + 1, argument->size);
    return name;
}

// A path that exists is one path, commas and all.
static bool next_path(Str *rest, Arena *arena, char **out)
{
    if (rest->size == 0)
        return false;
    *out = str_cstr(arena, *rest);
    size_t comma = str_find_char(*rest, ',', 0);
    if (comma == SIZE_MAX || file_kind(*out) != FILE_NONE) {
        *rest = STR("");
        return true;
    }
    *out = str_cstr(arena, str_slice(*rest, 0, comma));
    *rest = str_slice(*rest, comma + 1, rest->size);
    return true;
}

static Str stem(const char *path)
{
    if (strcmp(path, "-") == 0)
        return STR("stdin");
    Str base = path_base(str_of(path));
    size_t point = str_rfind_char(base, '.');
    bool file = file_kind(path) != FILE_FOLDER;
    return file && point != SIZE_MAX && point > 0 ? str_slice(base, 0, point) : base;
}

static const PartSeries *loss_of(const Part *part)
{
    const PartSeries *loss = part_find(part, "loss");
    return loss && loss->points.count ? loss : NULL;
}

// Records of a text that happens to look like a log, and those that make one for sure. A short log
// that is taken for a remark is left out, with a notice; a remark that is taken for a log becomes a
// restart of the run.
enum { FEW = 2, MANY = 20 };

// A log with many losses and the steps it has. Among those that begin no later: `last` is the
// latest end, of the log at `path`, `other` the latest of the logs elsewhere.
typedef struct Span {
    const char *path;
    int64_t first, last, other;
} Span;

static int by_first(const void *a, const void *b)
{
    const Span *one = a, *two = b;
    return one->first < two->first ? -1 : one->first > two->first;
}

static void add_span(Span *it, const Span *before)
{
    const char *path = it->path;
    int64_t last = it->last, other = before->path == path ? before->other : before->last;
    if (before->last > last) {
        it->path = before->path;
        it->last = before->last;
        other = before->path == path || before->other > last ? before->other : last;
    }
    it->other = other;
}

static Span *long_logs(const Parts *parts, size_t first, Arena *arena, size_t *count)
{
    Span *out = ARENA_ARRAY(arena, Span, parts->count - first + 1);
    *count = 0;
    for (size_t i = first; i < parts->count; i++) {
        const PartSeries *loss = loss_of(parts->items[i]);
        size_t points = loss ? loss->points.count : 0;
        if (points >= MANY)
            out[(*count)++] = (Span){parts->items[i]->path, loss->points.items.x[0],
                                     loss->points.items.x[points - 1], INT64_MIN};
    }
    if (*count)
        qsort(out, *count, sizeof *out, by_first);
    for (size_t i = 1; i < *count; i++)
        add_span(&out[i], &out[i - 1]);
    return out;
}

// A few lines of a text that happen to look like records do not stand against a log that has these
// steps.
static bool is_remark(const Part *part, const Span *logs, size_t count)
{
    const PartSeries *few = loss_of(part);
    size_t at;
    if (!few || few->points.count > FEW)
        return false;
    FIND_FIRST(at, count, logs[at].first <= few->points.items.x[0]);
    if (at == 0)
        return false;
    const Span *until = &logs[at - 1];
    int64_t last = until->path == part->path ? until->other : until->last;
    return few->points.items.x[few->points.count - 1] <= last;
}

static void drop_remarks(Parts *parts, size_t first, Arena *arena, Notices *notices)
{
    size_t kept = first, count;
    const Span *logs = long_logs(parts, first, arena, &count);
    for (size_t i = first; i < parts->count; i++) {
        if (is_remark(parts->items[i], logs, count))
            notices_add(notices, NOTICE_WARNING, WHERE_FILE(parts->items[i]->path), "%s",
                        tr("its few records are steps that another log of this folder has: it is "
                           "left out"));
        else
            parts->items[kept++] = parts->items[i];
    }
    parts->count = kept;
}

// Two logs from the same first step on whose losses differ nearly everywhere: two runs, not pieces
// of one. Points rise in such logs. Nearly is nine of ten: a restart prints the losses of its
// overlap again, runs of one recipe hardly any; from so many steps on chance makes none of it.
enum { BESIDE_STEPS = 8 };

static bool are_beside(const Points *few, const Points *many)
{
    size_t common = 0, other = 0, at;
    if (few->count > many->count) {
        const Points *more = few;
        few = many;
        many = more;
    }
    for (size_t i = 0; i < few->count; i++) {
        Point point = point_at(few->items, i);
        FIND_FIRST(at, many->count, many->items.x[at] < point.x);
        if (at == many->count || many->items.x[at] != point.x)
            continue;
        common++;
        other += point.value != many->items.value[at];
    }
    return common >= BESIDE_STEPS && 10 * common >= 9 * few->count && 10 * other >= 9 * common;
}

// A log is compared with so many before it with the same first step: where pieces of one run begin
// in the same way, more would cost the square of their number.
enum { BESIDE_LOGS = 64 };

// A log of no rank that may lie next to others: those with the same first step.
typedef struct Beside {
    int64_t first;
    size_t index;
    const char *path;
    const Points *points;  // of its loss, however it is called
} Beside;

static int by_first_step(const void *a, const void *b)
{
    const Beside *one = a, *two = b;
    if (one->first != two->first)
        return one->first < two->first ? -1 : 1;
    return one->index < two->index ? -1 : one->index > two->index;
}

// The first log that lies next to one before it, and that one; false: there is none.
static bool find_beside(const Parts *parts, size_t first, Arena *arena, size_t *one, size_t *two)
{
    Beside *logs = ARENA_ARRAY(arena, Beside, parts->count - first + 1);
    size_t count = 0;
    *two = SIZE_MAX;
    for (size_t i = first; i < parts->count; i++) {
        Part *part = parts->items[i];
        const PartSeries *loss = part->rank < 0 ? judged_loss_in(part) : NULL;
        if (loss && loss->points.count >= BESIDE_STEPS)
            logs[count++] = (Beside){loss->points.items.x[0], i, part->path, &loss->points};
    }
    if (count)
        qsort(logs, count, sizeof *logs, by_first_step);
    for (size_t from = 0, i = 0; i < count; i++) {
        from = logs[i].first == logs[from].first ? from : i;
        from = i - from > BESIDE_LOGS ? i - BESIDE_LOGS : from;
        for (size_t k = from; k < i && logs[i].index < *two; k++)
            if (logs[i].path != logs[k].path && are_beside(logs[i].points, logs[k].points)) {
                *two = logs[i].index;
                *one = logs[k].index;
            }
    }
    return *two != SIZE_MAX;
}

// "train-3201-2": the number after that of the job, from 4 digits on, and how long what is in
// front is. With fewer a sweep ("lr-10-2") would pass for the processes of a job.
static bool process_of(Str name, size_t *head, int64_t *process)
{
    enum { JOB_DIGITS = 4 };
    size_t from = name.size, job = 0;
    while (from > 0 && is_digit(name.data[from - 1]))
        from--;
    for (size_t i = from ? from - 1 : 0; i > 0 && is_digit(name.data[i - 1]); i--)
        job++;
    *head = from;
    return from > 0 && strchr("-_.", name.data[from - 1]) && job >= JOB_DIGITS &&
           str_to_int64(str_slice(name, from, name.size), process);
}

// Logs of one job, each of the process whose number its name ends with, from 0 on.
static bool take_processes(Parts *parts, size_t first, Arena *arena)
{
    size_t count = parts->count - first, head = 0, own;
    Str folder = {"", 0}, job = {"", 0};
    bool *seen = ARENA_ARRAY(arena, bool, count + 1);
    int64_t *processes = ARENA_ARRAY(arena, int64_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        const Part *part = parts->items[first + i];
        Str name = stem(part->path), place = path_folder(str_of(part->path));
        if (part->rank >= 0 || part->run.size || !process_of(name, &own, &processes[i]) ||
            processes[i] >= (int64_t)count || seen[processes[i]])
            return false;
        seen[processes[i]] = true;
        head = i ? head : own;
        folder = i ? folder : place;
        job = i ? job : str_slice(name, 0, head);
        if (!str_equal(folder, place) || !str_equal(job, str_slice(name, 0, own)))
            return false;
    }
    for (size_t i = 0; i < count; i++)
        parts->items[first + i]->rank = processes[i];
    return count > 1;
}

// How much of two paths in different folders is common to them, to the last slash; 0 in one folder.
static size_t common_folder(const char *one, const char *two)
{
    size_t out = 0;
    if (str_equal(path_folder(str_of(one)), path_folder(str_of(two))))
        return 0;
    for (size_t i = 0; one[i] && one[i] == two[i]; i++)
        out = one[i] == '/' ? i + 1 : out;
    return out;
}

// Where the run of a log lies: the folder below what is common to all, else its own file.
static Str run_place(const char *path, const char *other, size_t common)
{
    Str text = str_of(path);
    bool below = common && strncmp(path, other, common) == 0;
    size_t slash = below ? str_find_char(text, '/', common) : SIZE_MAX;
    return slash == SIZE_MAX ? text : str_slice(text, 0, slash);
}

// The first logs of the runs that are called golden and target, where names tell.
static void prefer_names(const Parts *parts, size_t first, Arena *arena, size_t *one, size_t *two)
{
    size_t count = parts->count - first, found = 0, pair[2];
    Str *names = ARENA_ARRAY(arena, Str, count);
    size_t *at = ARENA_ARRAY(arena, size_t, count);
    for (size_t i = first; i < parts->count; i++)
        if (!found || !str_equal(names[found - 1], parts->items[i]->run)) {
            names[found] = parts->items[i]->run;
            at[found++] = i;
        }
    if (!run_names_pair(names, found, pair))
        return;
    *one = at[pair[0]];
    *two = at[pair[1]];
}

// "vernier curves golden.csv target.csv --noise golden-again.csv": the two, and the others that are
// called golden as well.
static Str line_for_two(const Parts *parts, size_t first, size_t one, size_t two, size_t common,
                        Arena *arena)
{
    const char *path = parts->items[one]->path;
    Str golden = run_place(path, path, common), last = golden;
    const char *target = str_cstr(arena, run_place(parts->items[two]->path, path, common));
    StrBuf line = strbuf_new(arena);
    strbuf_printf(&line, "%s", SHELL_LINE(arena, "curves", str_cstr(arena, golden), target));
    for (size_t i = first; i < parts->count; i++) {
        Str other = run_place(parts->items[i]->path, path, common);
        if (!str_equal(other, golden) && !str_equal(other, last) &&
            run_names_swapped(str_of(target), other))
            strbuf_printf(&line, " --noise " STR_FMT, STR_ARG(shell_word(other, arena)));
        last = other;
    }
    return strbuf_str(&line);
}

// Gives logs that lie side by side in a folder the names of their files as runs, or of the folders
// in which they lie.
static void tell_runs_apart(Parts *parts, size_t first, const char *path, Arena *arena,
                            Notices *notices)
{
    size_t one, two;
    if (!find_beside(parts, first, arena, &one, &two))
        return;
    if (take_processes(parts, first, arena)) {
        notices_add(notices, NOTICE_TOLD, WHERE_FILE(path), "%s",
                    tr("the names of its logs differ by the number after that of the job: they are "
                       "taken for the processes of one run"));
        return;
    }
    const char *place = parts->items[one]->path;
    size_t common = common_folder(place, parts->items[two]->path);
    for (size_t i = first; i < parts->count; i++)
        if (parts->items[i]->run.size == 0) {
            const char *own = str_cstr(arena, run_place(parts->items[i]->path, place, common));
            parts->items[i]->run = str_copy(arena, stem(own));
        }
    prefer_names(parts, first, arena, &one, &two);
    notices_add(notices, NOTICE_WARNING, WHERE_FILE(path),
                tr("this folder holds several whole logs; each is a run. To compare two: " STR_FMT),
                STR_ARG(line_for_two(parts, first, one, two, common, arena)));
}

// A file as it is called without the word that says whether it is of training or an evaluation:
// "train.csv" and "val.csv" are ".csv", "train/events.1" and "validation/events.2" are "/". So is
// "events.1" next to "eval/events.2".
typedef struct Phase {
    Str before, behind;
    Part *part;
    bool evaluation;
} Phase;

static bool is_board(const Part *part)
{
    return strcmp(part->format, "tensorboard") == 0;
}

static bool phase_of(const Part *part, size_t root, Phase *out)
{
    Str path = str_of(part->path);
    size_t folders = path.size - path_base(path).size;
    for (size_t stop = is_board(part) ? folders : path.size; stop > root;) {
        if (!is_letter(path.data[stop - 1])) {
            stop--;
            continue;
        }
        size_t from = stop;
        while (from > root && is_letter(path.data[from - 1]))
            from--;
        Str word = str_slice(path, from, stop);
        out->evaluation = series_facts(word).split;
        if (out->evaluation || str_equal_nocase(word, STR("train")) ||
            str_equal_nocase(word, STR("training")) || str_equal_nocase(word, STR("learn"))) {
            out->before = str_slice(path, 0, from);
            out->behind = str_slice(path, stop, stop < folders ? folders : path.size);
            return true;
        }
        stop = from;
    }
    out->before = str_slice(path, 0, folders);
    out->behind = STR("/");
    return is_board(part);
}

static int by_place(const Phase *one, const Phase *two)
{
    int order = str_compare(one->before, two->before);
    return order ? order : str_compare(one->behind, two->behind);
}

static int training_first(const void *a, const void *b)
{
    const Phase *one = a, *two = b;
    int order = by_place(one, two);
    order = order ? order : one->evaluation - two->evaluation;
    return order ? order : strcmp(one->part->path, two->part->path);
}

static void name_evaluated(Part *part, Arena *arena)
{
    for (size_t i = 0; i < part->series_count; i++) {
        PartSeries *series = &part->series[i];
        if (!str_starts(series->name, STR("eval")))
            series->name = str_printf(arena, "eval_" STR_FMT, STR_ARG(series->name));
        series->core = false;
    }
}

// The losses of "val.csv" are those of an evaluation of the run that "train.csv" next to it holds.
static void tell_evaluations(Parts *parts, size_t first, size_t root, Arena *arena)
{
    Phase *phases = ARENA_ARRAY(arena, Phase, parts->count - first + 1);
    size_t count = 0, lead = 0;
    for (size_t i = first; i < parts->count; i++) {
        phases[count].part = parts->items[i];
        count += phase_of(parts->items[i], root, &phases[count]);
    }
    if (count)
        qsort(phases, count, sizeof *phases, training_first);
    for (size_t i = 0; i < count; i++) {
        lead = by_place(&phases[i], &phases[lead]) == 0 ? lead : i;
        if (!phases[i].evaluation || phases[lead].evaluation || phases[i].part->evaluates)
            continue;
        phases[i].part->evaluates = phases[lead].part;
        name_evaluated(phases[i].part, arena);
    }
}

// In a folder a file without training records is no trouble: other files lie there too.
static bool read_path(const char *path, Arena *arena, Parts *parts, Notices *notices, Error *err)
{
    SourceFiles files = {0};
    if (!series_source_files(path, arena, &files, notices, err))
        return false;
    bool folder = file_kind(path) == FILE_FOLDER;
    size_t before = parts->count, passed = 0;
    for (size_t i = 0; i < files.count; i++) {
        Error trouble = {0};
        if (series_source_read(files.items[i], arena, parts, notices, &trouble))
            continue;
        if (!folder) {
            *err = trouble;
            return false;
        }
        if (parts->unopened)
            notices_add_error(notices, &trouble);
        passed += !parts->unopened;
    }
    if (folder) {
        tell_evaluations(parts, before, strlen(path), arena);
        drop_remarks(parts, before, arena, notices);
        tell_runs_apart(parts, before, path, arena, notices);
    }
    if (passed)
        notices_add(notices, NOTICE_INFO, WHERE_FILE(path),
                    tr_count(passed, "%zu file of this folder holds no training record",
                             "%zu files of this folder hold no training record"),
                    passed);
    if (parts->count == before)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("no file of this folder holds a training record"));
    return true;
}

// What tells runs apart: their names, and of event files their folders, as in the dashboard.
typedef struct RunKey {
    NameId run, folder;  // NAME_NONE: no event file
    size_t next;         // the next part of that name, SIZE_MAX: none
} RunKey;

typedef struct RunKeys {
    RunKey *items;  // by part
    size_t *first;  // by the NameId of a run
} RunKeys;

static RunKeys keys_of(const Parts *parts, Arena *arena)
{
    Names *names = names_new(arena);
    RunKeys keys = {.items = ARENA_ARRAY(arena, RunKey, parts->count + 1)};
    for (size_t i = 0; i < parts->count; i++) {
        const Part *own = parts->items[i], *part = own->evaluates ? own->evaluates : own;
        keys.items[i].run = names_add(names, part->run);
        if (is_board(part))
            keys.items[i].folder = names_add(names, path_folder(str_of(part->path)));
    }
    keys.first = ARENA_ARRAY(arena, size_t, names_count(names) + 1);
    for (size_t id = 0; id <= names_count(names); id++)
        keys.first[id] = SIZE_MAX;
    for (size_t i = parts->count; i-- > 0;) {
        keys.items[i].next = keys.first[keys.items[i].run];
        keys.first[keys.items[i].run] = i;
    }
    return keys;
}

// Of two parts of one name.
static bool same_run(const RunKeys *keys, size_t a, size_t b)
{
    NameId one = keys->items[a].folder, two = keys->items[b].folder;
    return one == two || one == NAME_NONE || two == NAME_NONE;
}

// Whether a part before it is of the same run.
static bool is_grouped(const RunKeys *keys, size_t part)
{
    size_t k = keys->first[keys->items[part].run];
    while (k < part && !same_run(keys, part, k))
        k = keys->items[k].next;
    return k < part;
}

typedef struct View {
    Run run;
    size_t loss_points;
} View;

typedef struct Views {
    View *items;
    size_t count, capacity;
} Views;

static bool same_view(const Part *a, const Part *b)
{
    return strcmp(a->format, b->format) == 0 && strcmp(a->x_unit, b->x_unit) == 0;
}

// One view of the run for each format; the fullest one leads. Those that count in something else
// cannot be joined to it.
static void join_views(const Parts *group, Arena *arena, Run *out, Notices *notices)
{
    Views views = {0};
    bool *used = ARENA_ARRAY(arena, bool, group->count);
    size_t best = 0;
    for (size_t i = 0; i < group->count; i++) {
        Parts same = {0};
        for (size_t k = i; k < group->count && !used[i]; k++)
            if (!used[k] && same_view(group->items[k], group->items[i])) {
                *ARRAY_PUSH(arena, &same) = group->items[k];
                used[k] = k != i;
            }
        if (same.count == 0)
            continue;
        View *view = ARRAY_PUSH(arena, &views);
        join_run(same.items, same.count, arena, &view->run, notices);
        const Series *loss = run_series(&view->run, "loss");
        view->loss_points = loss ? loss->count : 0;
        if (view->loss_points > views.items[best].loss_points)
            best = views.count - 1;
    }
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): each part is in a view
    *out = views.items[best].run;
    for (size_t i = 0; i < views.count; i++)
        if (strcmp(views.items[i].run.x_unit, out->x_unit) != 0)
            notices_partial(
                notices, WHERE_FILE(views.items[i].run.files[0]),
                tr("counts in %s where the run counts in %s; it is left out, read it by "
                   "itself"),
                tr(views.items[i].run.x_unit), tr(out->x_unit));
        else if (i != best)
            join_view(out, &views.items[i].run, arena);
}

static Str run_name(Str typed, const char *first_path, const Part *part, bool alone, Arena *arena)
{
    Str name = typed.size ? typed : str_copy(arena, stem(first_path));
    if (alone)
        return name;
    Str own = part->run;
    if (own.size == 0)
        own = path_base(path_folder(str_of(part->path)));
    return typed.size ? str_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(typed), STR_ARG(own)) : own;
}

static size_t count_groups(const Parts *parts, const RunKeys *keys)
{
    size_t groups = 0;
    for (size_t i = 0; i < parts->count; i++)
        groups += !is_grouped(keys, i);
    return groups;
}

static bool no_such_loss(const Parts *group, Str wanted, Arena *arena, Error *err)
{
    Str names = STR("");
    for (size_t p = 0; p < group->count; p++)
        for (size_t i = 0; i < group->items[p]->series_count && names.size < 400; i++)
            names = str_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(names), names.size ? ", " : "",
                               STR_ARG(group->items[p]->series[i].printed));
    const char *path = group->count ? group->items[0]->path : NULL;
    error_set(err, ERR_INPUT, WHERE_FILE(path), tr("--loss: no series is called '" STR_FMT "'"),
              STR_ARG(wanted));
    return error_hint(err, tr("series of this log: " STR_FMT), STR_ARG(names));
}

bool run_source_read(Str argument, RunRole role, Arena *arena, Runs *out, Notices *notices,
                     Error *err)
{
    Parts parts = {.wish = out->wish};
    Str typed = split_name(&argument, arena), rest = argument;
    char *path, *first = NULL;
    while (next_path(&rest, arena, &path)) {
        first = first ? first : path;
        if (!read_path(path, arena, &parts, notices, err))
            return false;
    }
    tell_evaluations(&parts, 0, 0, arena);
    if (!first)
        return error_set(err, ERR_USAGE, NOWHERE, "%s",
                         tr("an empty name where a run is expected"));
    RunKeys keys = keys_of(&parts, arena);
    bool alone = count_groups(&parts, &keys) == 1;
    for (size_t i = 0; i < parts.count; i++) {
        Parts group = {0};
        if (is_grouped(&keys, i))
            continue;
        for (size_t k = i; k != SIZE_MAX; k = keys.items[k].next)
            if (same_run(&keys, i, k))
                *ARRAY_PUSH(arena, &group) = parts.items[k];
        Str wanted = out->wish ? out->wish->loss : STR("");
        Str loss_name = judged_loss_choose(&group, wanted, arena);
        if (wanted.size && loss_name.size == 0)
            return no_such_loss(&group, wanted, arena, err);
        Run *run = ARRAY_PUSH(arena, out);
        join_views(&group, arena, run, notices);
        run->loss_name = loss_name;
        run->name = run_name(typed, first, parts.items[i], alone, arena);
        run->role = role;
    }
    return true;
}

void run_source_files(Str argument, Arena *arena, SourceFiles *out)
{
    char *path;
    Notices unsaid;
    Error err;
    notices_init(&unsaid, arena);
    split_name(&argument, arena);
    while (next_path(&argument, arena, &path))
        series_source_files(path, arena, out, &unsaid, &err);
}

// Two files that both go from the first step to the last are rather two runs.
static bool is_whole_overlap(const Run *run)
{
    const Series *loss = run_series(run, "loss");
    return run->file_count == 2 && loss && loss->count &&
           point_at(loss->points, 0).x == run->overlap_first &&
           point_at(loss->points, loss->count - 1).x == run->overlap_last;
}

void run_tell_overlap(const Run *run, Notices *notices)
{
    if (run->apart.count)
        apart_tell(&run->apart, WHERE_FILE(run->files[0]), notices);
    const long long first = run->overlap_first, last = run->overlap_last;
    if (!run->has_overlap)
        return;
    if (run->overlap_steps)
        notices_partial(
            notices, WHERE_FILE(run->files[0]),
            tr("the counter fell and did not rise again: of %llu steps with a loss %llu "
               "are left, and no others are compared"),
            (unsigned long long)run->overlap_steps, (unsigned long long)run->overlap_left);
    if (isnan(run->overlap_difference))
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(run->files[0]),
                    tr("steps %lld to %lld were written again; the later ones count"), first, last);
    else
        notices_add(notices, run->overlap_difference != 0 ? NOTICE_WARNING : NOTICE_INFO,
                    WHERE_FILE(run->files[0]),
                    tr("steps %lld to %lld were written again; the loss differs by at most %g "
                       "there"),
                    first, last, run->overlap_difference);
    if (is_whole_overlap(run))
        notices_add(
            notices, NOTICE_WARNING, WHERE_FILE(run->files[0]),
            tr("files of the same steps were joined into one run; two runs are compared by: %s"),
            SHELL_LINE(notices->arena, "curves", run->files[0], run->files[1]));
}

// Whether each run that has the series has means of it, of two at least.
static bool all_have_means(const Runs *runs, const char *name)
{
    size_t with = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const Series *own = run_series(&runs->items[i], name);
        if (own && !own->means)
            return false;
        with += own != NULL;
    }
    return with > 1;
}

void runs_take_means(Runs *runs, Arena *arena, Notices *notices)
{
    for (size_t i = 0; i < runs->count; i++) {
        Run *run = &runs->items[i];
        bool loss = false;
        for (size_t k = 0; k < run->series_count; k++) {
            Series *series = &run->series[k];
            if (!series->means || !all_have_means(runs, str_cstr(arena, series->name)))
                continue;
            loss = loss || str_equal(series->name, STR("loss"));
            PointColumns points = point_columns(arena, series->count);
            for (size_t p = 0; p < series->count; p++)
                point_put(points, p, (Point){series->points.x[p], series->means[p]});
            series->points = points;
        }
        if (loss)
            notices_add(
                notices, NOTICE_WARNING, WHERE_FILE(run->files[0]), "%s",
                tr("its records of one step are in no order, as of processes that print into one "
                   "log: instead of the first values the means of the steps are compared"));
    }
}

void runs_name_apart(Runs *runs, Arena *arena)
{
    Arena *scratch = arena_new();
    Names *taken = names_new(scratch);
    for (size_t i = 0; i < runs->count; i++) {
        Run *run = &runs->items[i];
        if (names_find(taken, run->name)) {
            Str folder = path_base(path_folder(str_of(run->files[0])));
            Str name = str_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(folder), STR_ARG(run->name));
            for (size_t number = 2; names_find(taken, name); number++)
                name = str_printf(arena, STR_FMT " (%zu)", STR_ARG(run->name), number);
            run->name = name;
        }
        names_add(taken, run->name);
    }
    arena_release(scratch);
}
