// SPDX-License-Identifier: Apache-2.0
#include "read/log/log_folder.h"

bool log_folder_may_hold(Str name)
{
    static const char *const endings[] = {
        ".md",  ".html", ".htm",  ".svg",         ".png",    ".jpg",   ".jpeg", ".gif",
        ".pdf", ".xlsx", ".yml",  ".yaml",        ".py",     ".sh",    ".pt",   ".pth",
        ".bin", ".npy",  ".npz",  ".safetensors", ".zip",    ".tar",   ".so",   ".ini",
        ".cfg", ".toml", ".ckpt", ".c",           ".tar.gz", ".model",
    };
    static const char *const names[] = {
        "README",
        "LICENSE",
        "config.json",
        "generation_config.json",
        "vocab.json",
        "all_results.json",
        "train_results.json",
        "eval_results.json",
        "merges.txt",
        "requirements.txt",
        "special_tokens_map.json",
        "summary.json",
    };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        Str ending = str_of(endings[i]);
        if (name.size > ending.size &&
            str_equal_nocase(str_slice(name, name.size - ending.size, name.size), ending))
            return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_equal_nocase(name, str_of(names[i])))
            return false;
    return !str_starts(name, STR("tokenizer"));
}

bool log_folder_is_report(const char *path, Arena *arena)
{
    char *summary = path_join(arena, path, STR("summary.json"));
    File file;
    Error err = {0};
    if (file_kind(summary) != FILE_REGULAR || !file_open(summary, &file, &err))
        return false;
    Str head = str_slice(file.text, 0, 4096);
    bool own = str_find(head, STR("\"vernier."), 0) != SIZE_MAX &&
               str_find(head, STR("\"schema\""), 0) != SIZE_MAX;
    file_close(&file);
    return own;
}
