/* Runs a fuzz program once on every file of some folders, without a fuzzer. Usage: replay_NAME FOLDER... */
#include "fuzz/small_machine.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static int replay(const char *path) {
    static uint8_t data[1 << 20];
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        perror(path);
        return 0;
    }
    size_t size = fread(data, 1, sizeof data, in);
    fclose(in);
    printf("%s\n", path);
    fflush(stdout); // before it may crash
    return LLVMFuzzerTestOneInput(data, size) == 0;
}

static int replay_folder(const char *folder, int *count) {
    struct dirent **entries = NULL;
    int found = scandir(folder, &entries, NULL, alphasort), good = found >= 0;
    if (!good)
        perror(folder);
    for (int i = 0; i < found; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            good &= replay(path);
            ++*count;
        }
        free(entries[i]);
    }
    free(entries);
    return good;
}

int main(int argc, char **argv) {
    int good = 1, count = 0;
    for (int i = 1; i < argc; i++)
        good &= replay_folder(argv[i], &count);
    printf("%d texts\n", count);
    return good ? 0 : 1;
}
