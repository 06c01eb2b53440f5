// SPDX-License-Identifier: Apache-2.0
// Kills a process that appends, saves and trims at each of its writes to the disk. No event confirmed by append() may
// be missing afterwards.
#include <SQLiteCpp/SQLiteCpp.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>

#include <map>

#include "tests/support/test_program.h"

#include "tests/unit/store/log_events.h"

namespace event_log_crash_test {

using namespace divisi;
using namespace divisi::store;
using divisi::tests::content;
using divisi::tests::Life;

namespace {

/// SQLite's file system layer, which kills the process once the number of writes in `left` has been used up. Half of
/// the bytes are written first, because a write is not atomic.
struct DyingDisk {
    static inline long left = 0;
    static inline sqlite3_vfs vfs;
    static inline sqlite3_vfs* real = nullptr;
    static inline std::map<const sqlite3_io_methods*, sqlite3_io_methods> patched;
    static inline const sqlite3_io_methods* original = nullptr;

    static void spend(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
        if (--left > 0) return;
        if (bytes) original->xWrite(file, bytes, size / 2, offset);
        ::kill(::getpid(), SIGKILL);
    }
    static int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
        spend(file, bytes, size, offset);
        return original->xWrite(file, bytes, size, offset);
    }
    static int truncate(sqlite3_file* file, sqlite3_int64 size) {
        spend(file, nullptr, 0, 0);
        return original->xTruncate(file, size);
    }
    static int sync(sqlite3_file* file, int flags) {
        spend(file, nullptr, 0, 0);
        return original->xSync(file, flags);
    }
    static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
        const int status = real->xOpen(real, name, file, flags, out);
        if (status != SQLITE_OK || !file->pMethods) return status;
        original = file->pMethods;
        sqlite3_io_methods& mine = patched[file->pMethods] = *file->pMethods;
        mine.xWrite = write;
        mine.xTruncate = truncate;
        mine.xSync = sync;
        file->pMethods = &mine;
        return status;
    }
    static void install(long writes) {
        left = writes;
        real = sqlite3_vfs_find(nullptr);
        vfs = *real;
        vfs.zName = "dying";
        vfs.xOpen = open;
        sqlite3_vfs_register(&vfs, 1);
    }
};

/// The events that the child had confirmed before it died, in shared memory, which outlives it.
struct Shared {
    std::uint64_t confirmed = 0;
    bool finished = false;
};

constexpr int rounds = 12;
constexpr std::size_t batch = 7;

/// Appends rounds of events. Every third round saves and trims, like the orchestrator every few thousand events.
void live(const std::filesystem::path& file, Shared& shared) {
    auto log = EventLog::open(file, tests::log_codec(), {20, 1u << 30});
    Life life;
    for (int i = 0; log && i < rounds; ++i) {
        if (!(*log)->append(life.next(batch))) ::_exit(3);
        shared.confirmed = life.state().sequence;
        if (i % 3 == 2 && !(*log)->save()) ::_exit(4);
        if (i % 2 == 1 && !(*log)->finish_saving()) ::_exit(5);
    }
    shared.finished = true;
    ::_exit(0);
}

}  // namespace

class EventLogCrashTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void no_confirmed_event_is_lost_at_any_write();
};

void EventLogCrashTest::no_confirmed_event_is_lost_at_any_write() {
    auto* shared = static_cast<Shared*>(
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    std::vector<std::string> states;  // by sequence number
    Life life;
    states.push_back(content(life.state()));
    for (std::size_t i = 0; i < rounds * batch; ++i) {
        (void)life.next();
        states.push_back(content(life.state()));
    }
    long writes = 0, trimmed = 0;
    do {
        *shared = {};
        const QTemporaryDir dir;
        const auto file = std::filesystem::path(dir.path().toStdString()) / "events.sqlite";
        const pid_t child = ::fork();
        if (child == 0) {
            DyingDisk::install(++writes);
            live(file, *shared);
        }
        ++writes;
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY2(shared->finished || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL),
                 std::to_string(status).c_str());
        const auto log = EventLog::open(file, tests::log_codec());
        QVERIFY2(log.ok(), log.ok() ? "" : log.error().message().c_str());
        const auto restored = (*log)->restore();
        QVERIFY2(restored.ok(), restored.ok() ? "" : restored.error().message().c_str());
        const std::string where = "killed at write " + std::to_string(writes);
        QVERIFY2(restored->findings.empty(), where.c_str());
        QVERIFY2(restored->state.sequence >= shared->confirmed, where.c_str());
        QVERIFY2(content(restored->state) == states.at(restored->state.sequence), where.c_str());
        SQLite::Database database(file.string());
        if (restored->state.sequence > 0 &&
            database.execAndGet("SELECT ifnull(min(sequence), 1) FROM event").getInt() > 1)
            ++trimmed;
    } while (!shared->finished);
    qInfo("killed at each of %ld writes; %ld times after the log was trimmed", writes - 1, trimmed);
    QVERIFY(writes > 50 && trimmed > 10);
    ::munmap(shared, sizeof(Shared));
}

DIVISI_TEST(EventLogCrashTest)

}  // namespace event_log_crash_test

#include "event_log_crash_test.moc"
