/* Files that are written beside their place and put there in one step. */
#include "base/file.h"
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <signal.h>

#include <cmocka.h>

static char folder[] = "/tmp/trammel-output-XXXXXX";
static arena *a;

static void put(const char *path, const char *content) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(content, out);
    assert_int_equal(fclose(out), 0);
}

static void assert_content(const char *path, const char *expected) {
    char content[1000] = "";
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    content[fread(content, 1, sizeof content - 1, in)] = '\0';
    fclose(in);
    assert_string_equal(content, expected);
}

static int parts(void) {
    glob_t found = {0};
    glob(".*.part", 0, NULL, &found);
    int count = (int)found.gl_pathc;
    globfree(&found);
    return count;
}

static bool write_text(output *o, const char *given) {
    return output_write(o, given, strlen(given));
}

static void replace(const char *path, const char *content) {
    output o;
    assert_true(output_open(&o, a, path, OUTPUT_REPLACES));
    assert_true(write_text(&o, content));
    assert_true(output_place(&o));
    assert_int_equal(o.error, 0);
}

static void in_one_step(void **state) {
    output o;
    put("x", "old");
    assert_true(output_open(&o, a, "x", OUTPUT_REPLACES));
    assert_int_equal(strncmp(o.part, ".x.", 3), 0);
    assert_true(write_text(&o, "ne") && write_text(&o, "w"));
    assert_content("x", "old");
    assert_content(o.part, "new");
    assert_int_equal(parts(), 1);
    assert_true(output_place(&o));
    assert_content("x", "new");
    assert_int_equal(parts(), 0);
}

static void given_up(void **state) {
    output o;
    put("x", "old");
    assert_true(output_open(&o, a, "x", OUTPUT_REPLACES));
    assert_true(write_text(&o, "new"));
    output_discard(&o);
    output_discard(&o); // twice is fine
    assert_content("x", "old");
    assert_int_equal(parts(), 0);
}

static void two_writers_do_not_mix(void **state) {
    output one, two;
    assert_true(output_open(&one, a, "x", OUTPUT_REPLACES) && output_open(&two, a, "x", OUTPUT_REPLACES));
    assert_string_not_equal(one.part, two.part);
    assert_true(write_text(&one, "1") && write_text(&two, "2") && write_text(&one, "1"));
    assert_true(output_place(&two));
    assert_content("x", "2");
    assert_true(output_place(&one));
    assert_content("x", "11");
    assert_int_equal(parts(), 0);
}

static mode_t mode_of(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

static void permissions(void **state) {
    mode_t before = umask(027);
    unlink("p");
    replace("p", "1");
    assert_int_equal(mode_of("p"), 0640);
    assert_int_equal(chmod("p", 0604), 0);
    replace("p", "2");
    assert_int_equal(mode_of("p"), 0604);
    umask(before);
}

static void links_stay(void **state) {
    char target[100];
    assert_int_equal(mkdir("d", 0777), 0);
    put("d/real", "old");
    assert_int_equal(symlink("d/second", "first"), 0);
    assert_int_equal(symlink("real", "d/second"), 0);
    replace("first", "new");
    assert_content("d/real", "new");
    assert_true(readlink("first", target, sizeof target) > 0 &&
                readlink("d/second", target, sizeof target) > 0);
    assert_int_equal(symlink("d/coming", "dangling"), 0);
    replace("dangling", "there");
    assert_content("d/coming", "there");
    assert_int_equal(symlink("b", "a"), 0);
    assert_int_equal(symlink("a", "b"), 0);
    output o;
    assert_false(output_open(&o, a, "a", OUTPUT_REPLACES));
    assert_int_equal(o.error, ELOOP);
}

static void same_file_by_other_names(void **state) {
    put("m", "model");
    assert_int_equal(link("m", "hard"), 0);
    assert_int_equal(symlink("./m", "soft"), 0);
    assert_true(file_is("m", "hard") && file_is("soft", "m") && file_is("./d/../m", "hard"));
    assert_false(file_is("m", "x") || file_is("m", "nowhere") || file_is("no", "no"));
}

static void fresh_ones(void **state) {
    output o;
    put("x", "old");
    assert_false(output_open(&o, a, "x", OUTPUT_FRESH));
    assert_string_equal(output_why(&o, a), "it is there already");
    assert_false(output_open(&o, a, "soft", OUTPUT_FRESH));
    assert_true(output_open(&o, a, "f", OUTPUT_FRESH));
    assert_true(write_text(&o, "new"));
    put("f", "meanwhile");
    assert_false(output_place(&o));
    assert_string_equal(output_why(&o, a), "it is there already");
    assert_content("f", "meanwhile");
    assert_int_equal(parts(), 0);
    unlink("f");
    assert_true(output_open(&o, a, "f", OUTPUT_FRESH) && write_text(&o, "new") && output_place(&o));
    assert_content("f", "new");
}

static void straight_through(void **state) {
    output o;
    char heard[10] = "", name[40];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    replace(name, "a");
    snprintf(name, sizeof name, "/proc/self/fd/%d", ends[1]);
    replace(name, "b");
    unlink("to-pipe");
    assert_int_equal(symlink(name, "to-pipe"), 0);
    replace("to-pipe", "c");
    assert_int_equal(read(ends[0], heard, sizeof heard), 3);
    assert_string_equal(heard, "abc");
    close(ends[0]);
    close(ends[1]);
    replace("/dev/null", "nothing");
    assert_true(output_open(&o, a, "/dev/full", OUTPUT_REPLACES));
    assert_false(write_text(&o, "x"));
    assert_int_equal(o.error, ENOSPC);
    output_place(&o);
    struct stat info;
    assert_true(stat("/dev/full", &info) == 0 && S_ISCHR(info.st_mode));
    // what a descriptor holds is added to, not replaced
    put("log", "before ");
    int file = open("log", O_WRONLY | O_APPEND);
    snprintf(name, sizeof name, "/dev/fd/%d", file);
    replace(name, "after");
    close(file);
    assert_content("log", "before after");
    assert_int_equal(mkfifo("fifo", 0666), 0);
    int reader = open("fifo", O_RDONLY | O_NONBLOCK);
    replace("fifo", "fifo");
    assert_int_equal(read(reader, heard, sizeof heard), 4);
    close(reader);
    assert_int_equal(parts(), 0);
    // where only a file will do, nobody waits for a reader
    assert_false(output_open(&o, a, "fifo", OUTPUT_FILE));
    assert_string_equal(output_why(&o, a), "it is no file");
    assert_false(output_open(&o, a, "-", OUTPUT_FILE) || output_open(&o, a, "/dev/null", OUTPUT_FILE));
}

static void refusals(void **state) {
    output o;
    assert_false(output_open(&o, a, "no/where", OUTPUT_REPLACES));
    assert_string_equal(output_why(&o, a), "there is no such folder");
    assert_false(output_open(&o, a, "d", OUTPUT_REPLACES));
    assert_int_equal(o.error, EISDIR);
    assert_false(output_open(&o, a, "x/y", OUTPUT_REPLACES));
    assert_int_equal(o.error, ENOTDIR);
    assert_false(output_open(&o, a, "/dev/fd/999", OUTPUT_REPLACES));
    assert_int_equal(o.error, EBADF);
    if (geteuid() == 0)
        return; // root may do everything
    put("protected", "old");
    chmod("protected", 0444);
    assert_false(output_open(&o, a, "protected", OUTPUT_REPLACES));
    assert_int_equal(o.error, EACCES);
    chmod("d", 0555);
    assert_false(output_open(&o, a, "d/real", OUTPUT_REPLACES));
    assert_non_null(strstr(output_why(&o, a), "no file can be made in its folder: "));
    chmod("d", 0777);
}

// of what does not fit, whole lines are there
static void too_large(void **state) {
    struct rlimit before, small;
    output o;
    put("x", "old");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = (struct rlimit){10, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    assert_true(output_open(&o, a, "x", OUTPUT_REPLACES));
    assert_true(write_text(&o, "123456\n"));
    assert_false(write_text(&o, "a\nbcdef\n"));
    assert_false(write_text(&o, "a\n"));
    assert_int_equal(o.error, EFBIG);
    assert_content("x", "old");
    output_place(&o);
    assert_int_equal(o.error, EFBIG);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_content("x", "123456\na\n");
}

// another's file in a folder such as /tmp can be written but not replaced
static void where_nothing_can_be_replaced(void **state) {
    output o;
    if (geteuid() != 0)
        skip(); // only root can make such a folder
    assert_int_equal(mkdir("sticky", 0777), 0);
    put("sticky/x", "old");
    put("sticky/y", "old");
    assert_int_equal(chown("sticky/x", 1, 1) | chown("sticky/y", 1, 1) | chown("sticky", 1, 1), 0);
    assert_int_equal(
        chmod("sticky/x", 0666) | chmod("sticky/y", 0666) | chmod("sticky", 01777) | chmod(".", 0755), 0);
    assert_int_equal(seteuid(65534), 0);
    replace("sticky/x", "new");
    assert_true(output_open(&o, a, "sticky/y", OUTPUT_REPLACES) && write_text(&o, "new"));
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod("sticky/y", 0444), 0); // protected meanwhile
    assert_int_equal(seteuid(65534), 0);
    assert_false(output_place(&o));
    assert_int_equal(seteuid(0), 0);
    assert_content("sticky/x", "new");
    assert_content("sticky/y", "old");
    assert_content(o.part, "new"); // and nothing is lost
    assert_non_null(strstr(output_why(&o, a), "it cannot be put in place: "));
    assert_non_null(strstr(output_why(&o, a), o.part));
    assert_false(o.placed);
}

// who removes it while it is written loses nothing: what was written is still open
static void removed_meanwhile(void **state) {
    output o;
    put("x", "old");
    assert_true(output_open(&o, a, "x", OUTPUT_REPLACES) && write_text(&o, "new"));
    assert_int_equal(unlink(o.part), 0);
    assert_true(output_place(&o));
    assert_content("x", "new");
    assert_true(output_open(&o, a, "x", OUTPUT_REPLACES) && write_text(&o, "newer"));
    assert_int_equal(unlink(o.part) | unlink("x"), 0);
    assert_true(output_place(&o));
    assert_content("x", "newer");
    // nor who puts it there himself
    assert_true(output_open(&o, a, "x", OUTPUT_REPLACES) && write_text(&o, "moved"));
    assert_int_equal(rename(o.part, "x"), 0);
    assert_true(output_place(&o));
    assert_content("x", "moved");
    // lent, it is not
    assert_true(output_open(&o, a, "x", OUTPUT_REPLACES));
    output_lend(&o);
    assert_int_equal(unlink(o.part), 0);
    assert_false(output_place(&o));
    assert_content("x", "moved");
    // with its folder
    assert_int_equal(mkdir("gone", 0777), 0);
    assert_true(output_open(&o, a, "gone/x", OUTPUT_REPLACES) && write_text(&o, "new"));
    assert_int_equal(unlink(o.part) | rmdir("gone"), 0);
    assert_false(output_place(&o));
    assert_null(strstr(output_why(&o, a), "kept")); // it is nowhere
}

static void replaced_by_a_folder_meanwhile(void **state) {
    output o;
    assert_true(output_open(&o, a, "taken", OUTPUT_REPLACES) && write_text(&o, "new"));
    assert_int_equal(mkdir("taken", 0777), 0);
    assert_false(output_place(&o));
    assert_content(o.part, "new");
    assert_non_null(strstr(output_why(&o, a), o.part));
    unlink(o.part);
}

static struct stat status_of(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info;
}

// the owner or the group cannot be given to a new file: the old one is written into
static void owners_stay(void **state) {
    static const struct {
        uid_t owner;
        gid_t group;
        mode_t mode;
    } cases[] = {{65534, 1, 0660}, {65534, 1, 0604}, {1, 65534, 0664}, {1, 1, 0646}};
    if (geteuid() != 0)
        skip(); // only root can make such files
    assert_int_equal(mkdir("shared", 0777) | chmod("shared", 0777) | chmod(".", 0755), 0);
    for (int i = 0; i < 4; i++) {
        output o;
        put("shared/x", "a longer old text");
        assert_int_equal(chown("shared/x", cases[i].owner, cases[i].group), 0);
        assert_int_equal(chmod("shared/x", cases[i].mode), 0);
        struct stat before = status_of("shared/x");
        assert_int_equal(setegid(65534) | seteuid(65534), 0);
        assert_true(output_open(&o, a, "shared/x", OUTPUT_REPLACES));
        assert_int_equal(mode_of(o.part), 0600); // nobody else is to read it there either
        assert_true(write_text(&o, "new") && output_place(&o));
        assert_int_equal(seteuid(0) | setegid(0), 0);
        struct stat after = status_of("shared/x");
        assert_true(after.st_ino == before.st_ino && after.st_uid == before.st_uid &&
                    after.st_gid == before.st_gid && after.st_mode == before.st_mode);
        assert_content("shared/x", "new");
        unlink("shared/x");
    }
    // root can give it
    put("shared/x", "old");
    assert_int_equal(chown("shared/x", 1, 1) | chmod("shared/x", 0640), 0);
    struct stat before = status_of("shared/x");
    replace("shared/x", "new");
    struct stat after = status_of("shared/x");
    assert_true(after.st_ino != before.st_ino && after.st_uid == 1 && after.st_gid == 1);
    assert_int_equal(mode_of("shared/x"), 0640);
    unlink("shared/x");
    assert_int_equal(rmdir("shared"), 0);
}

static const char ACCESS[] = "system.posix_acl_access", NOTE[] = "user.note";

static void attributes_stay(void **state) {
    // version 2; owner rw-, user 1 r--, group ---, mask r--, others ---
    static const unsigned char list[] = {2, 0, 0,   0,   1,   0,   6,  0, 255, 255, 255, 255, 2,   0,  4,
                                         0, 1, 0,   0,   0,   4,   0,  0, 0,   255, 255, 255, 255, 16, 0,
                                         4, 0, 255, 255, 255, 255, 32, 0, 0,   0,   255, 255, 255, 255};
    unsigned char found[100];
    put("x", "old");
    if (setxattr("x", ACCESS, list, sizeof list, 0) != 0 || setxattr("x", NOTE, "mine", 4, 0) != 0)
        skip(); // not on this file system
    replace("x", "new");
    assert_int_equal(getxattr("x", ACCESS, found, sizeof found), sizeof list);
    assert_memory_equal(found, list, sizeof list);
    assert_int_equal(getxattr("x", NOTE, found, sizeof found), 4);
    assert_memory_equal(found, "mine", 4);
    // a folder's list for new files is not for one that had none
    assert_int_equal(mkdir("listed", 0777), 0);
    put("listed/x", "old");
    assert_int_equal(chmod("listed/x", 0640), 0);
    assert_int_equal(setxattr("listed", "system.posix_acl_default", list, sizeof list, 0), 0);
    replace("listed/x", "new");
    assert_int_equal(getxattr("listed/x", ACCESS, found, sizeof found), -1);
    assert_int_equal(mode_of("listed/x"), 0640);
    unlink("x");
}

// the name of a process that is no more
static long dead_process(void) {
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return (long)child;
}

static void remains_of_the_killed(void **state) {
    char dead[100], alive[100], other[100], strange[100];
    long gone = dead_process();
    snprintf(dead, sizeof dead, ".x.%ld-0123abcd.part", gone);
    snprintf(alive, sizeof alive, ".x.%ld-0123abcd.part", (long)getpid());
    snprintf(other, sizeof other, ".x.y.%ld-0123abcd.part", gone);
    snprintf(strange, sizeof strange, ".x.%ld-mine.part", gone);
    const char *const files[] = {dead, alive, other, strange};
    for (int i = 0; i < 4; i++)
        put(files[i], "part");
    replace("x", "new");
    assert_int_not_equal(access(dead, F_OK), 0);
    for (int i = 1; i < 4; i++) {
        assert_int_equal(access(files[i], F_OK), 0);
        unlink(files[i]);
    }
    // locked: written by a process of another machine or container
    put(dead, "part");
    int file = open(dead, O_RDWR);
    assert_int_equal(flock(file, LOCK_EX), 0);
    replace("x", "new");
    assert_int_equal(access(dead, F_OK), 0);
    close(file);
    replace("x", "new");
    assert_int_equal(parts(), 0);
}

static void lent_to_another(void **state) {
    output o;
    put("x", "old");
    assert_true(output_open(&o, a, "x", OUTPUT_REPLACES));
    output_lend(&o);
    put(o.part, "by another");
    assert_true(output_place(&o));
    assert_content("x", "by another");
    assert_true(output_open(&o, a, "x", OUTPUT_REPLACES));
    output_lend(&o);
    output_discard(&o);
    assert_int_equal(parts(), 0);
}

static void long_names(void **state) {
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    replace(name, "long");
    assert_content(name, "long");
}

static int enter(void **state) {
    a = arena_new(0);
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state) {
    char command[100];
    arena_free(a);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_one_step),
        cmocka_unit_test(given_up),
        cmocka_unit_test(two_writers_do_not_mix),
        cmocka_unit_test(permissions),
        cmocka_unit_test(links_stay),
        cmocka_unit_test(same_file_by_other_names),
        cmocka_unit_test(fresh_ones),
        cmocka_unit_test(straight_through),
        cmocka_unit_test(refusals),
        cmocka_unit_test(too_large),
        cmocka_unit_test(where_nothing_can_be_replaced),
        cmocka_unit_test(removed_meanwhile),
        cmocka_unit_test(replaced_by_a_folder_meanwhile),
        cmocka_unit_test(owners_stay),
        cmocka_unit_test(attributes_stay),
        cmocka_unit_test(remains_of_the_killed),
        cmocka_unit_test(lent_to_another),
        cmocka_unit_test(long_names),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
