// SPDX-License-Identifier: Apache-2.0
#include "backend/store/event_log.h"
#include "backend/control/protocol/log_messages.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QProcess>
#include <QTemporaryDir>

#include <chrono>
#include <future>
#include <set>

#include "tests/support/test_program.h"
#include "tests/unit/store/log_events.h"

namespace event_log_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::store;
using divisi::tests::content;
using divisi::tests::Life;

namespace {

struct Folder {
    QTemporaryDir dir;
    std::filesystem::path file = std::filesystem::path(dir.path().toStdString()) / "events.sqlite";

    std::unique_ptr<EventLog> open(Retention retention = {}) const {
        auto log = EventLog::open(file, tests::log_codec(), retention);
        if (!log) qFatal("%s", log.error().message().c_str());
        return std::move(*log);
    }
    /// Reads the file with the sqlite3 shell, without our code.
    std::string ask(const QString& sql) const {
        QProcess shell;
        shell.start("sqlite3", {QString::fromStdString(file.string()), sql});
        if (!shell.waitForFinished()) qFatal("the sqlite3 shell is missing");
        return shell.readAllStandardOutput().trimmed().toStdString();
    }
    void change(const std::string& sql) const {
        SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
        database.exec(sql);
    }
};

void save_at_100_and_200(const Folder& folder, Life& life) {
    auto log = folder.open();
    for (int i = 0; i < 2; ++i) {
        QVERIFY(log->append(life.next(100)).ok());
        QVERIFY(log->save().ok());
        QVERIFY(log->finish_saving().ok());
    }
}

}  // namespace

class EventLogTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void restart_restores_the_state_from_appended_events();
    void start_reads_only_events_after_the_saved_state();
    void damaged_state_is_replaced_by_the_previous_one();
    void without_a_saved_state_the_whole_log_is_read();
    void events_are_durable_while_a_state_is_being_saved();
    void error_of_a_save_is_reported_once();
    void unfinished_state_is_ignored();
    void oldest_events_are_trimmed_and_the_state_stays();
    void receipts_stay_when_the_oldest_events_are_trimmed();
    void log_with_unreadable_events_opens_and_names_them();
    void missing_events_are_reported();
    void pages_reach_every_event_in_both_directions();
    void page_of_large_events_is_shortened();
    void search_text_is_taken_literally();
    void log_of_twenty_thousand_events_opens_quickly();
};

void EventLogTest::restart_restores_the_state_from_appended_events() {
    Folder folder;
    Life life;
    QVERIFY(folder.open()->append(life.next(250)).ok());
    QVERIFY(folder.open()->append(life.next(1)).ok());
    const Restored restored = folder.open()->restore().value();
    QVERIFY(restored.findings.empty());
    QCOMPARE(restored.folded, std::uint64_t(251));
    QVERIFY(content(restored.state) == content(life.state()));
    QCOMPARE(folder.ask("SELECT count(*), max(sequence) FROM event"), std::string("251|251"));
}

void EventLogTest::start_reads_only_events_after_the_saved_state() {
    Folder folder;
    Life life;
    {
        auto log = folder.open();
        QVERIFY(log->append(life.next(300)).ok());
        QCOMPARE(log->unsaved(), std::uint64_t(300));
        QVERIFY(log->save().ok());
        QCOMPARE(log->unsaved(), std::uint64_t(0));
        QVERIFY(log->append(life.next(40)).ok());
    }
    auto log = folder.open();
    const Restored restored = log->restore().value();
    QCOMPARE(restored.folded, std::uint64_t(40));
    QCOMPARE(log->unsaved(), std::uint64_t(40));
    QVERIFY(content(restored.state) == content(life.state()));
}

void EventLogTest::damaged_state_is_replaced_by_the_previous_one() {
    for (const char* damage :
         {"UPDATE state SET body = zeroblob(length(body)) WHERE sequence = 200",
          "UPDATE state SET body = x'' WHERE sequence = 200", "UPDATE state SET version = 99 WHERE sequence = 200"}) {
        Folder folder;
        Life life;
        {
            auto log = folder.open({10, 1u << 30});
            QVERIFY(log->append(life.next(100)).ok());
            QVERIFY(log->save().ok());
            QVERIFY(log->append(life.next(100)).ok());
            QVERIFY(log->finish_saving().ok());
            QVERIFY(log->save().ok());
            QVERIFY(log->append(life.next(50)).ok());
        }
        folder.change(damage);
        const Restored restored = folder.open()->restore().value();
        QVERIFY2(content(restored.state) == content(life.state()), damage);
        QCOMPARE(restored.folded, std::uint64_t(150));
        QCOMPARE(restored.findings.size(), std::size_t(1));
        QVERIFY(restored.findings[0].what.find("state saved at event 200") != std::string::npos);
        // The damaged state was removed. So after the next save, the state before the newest one is readable.
        QCOMPARE(folder.ask("SELECT group_concat(DISTINCT sequence) FROM state"), std::string("100"));
    }
}

void EventLogTest::without_a_saved_state_the_whole_log_is_read() {
    Folder folder;
    Life life;
    save_at_100_and_200(folder, life);
    folder.change("UPDATE state SET checksum = x'00'");
    const Restored restored = folder.open()->restore().value();
    QVERIFY(content(restored.state) == content(life.state()));
    QCOMPARE(restored.findings.size(), std::size_t(2));
}

void EventLogTest::events_are_durable_while_a_state_is_being_saved() {
    Folder folder;
    Life life;
    EventCodec codec = tests::log_codec();
    std::promise<void> go;
    codec.encode_page = [allowed = go.get_future().share(), encode = codec.encode_page](const Snapshot& page) {
        allowed.wait();
        return encode(page);
    };
    {
        auto log = EventLog::open(folder.file, codec).value();
        QVERIFY(log->append(life.next(100)).ok());
        QVERIFY(log->save().ok());
        QVERIFY(log->append(life.next(50)).ok());
        QCOMPARE(folder.ask("SELECT count(*) FROM event"), std::string("150"));
        // No second save begins meanwhile; it remains due.
        QVERIFY(log->save().ok());
        QCOMPARE(log->unsaved(), std::uint64_t(50));
        QCOMPARE(folder.ask("SELECT count(*) FROM state"), std::string("0"));
        go.set_value();
    }
    QCOMPARE(folder.ask("SELECT group_concat(DISTINCT sequence) FROM state"), std::string("100"));
    const Restored restored = folder.open()->restore().value();
    QCOMPARE(restored.folded, std::uint64_t(50));
    QVERIFY(content(restored.state) == content(life.state()));
}

void EventLogTest::error_of_a_save_is_reported_once() {
    Folder folder;
    Life life;
    EventCodec codec = tests::log_codec();
    codec.encode_page = [](const Snapshot&) -> Result<std::string> {
        return Error{ErrorCode::failed, "no page", "here", "mend it"};
    };
    auto log = EventLog::open(folder.file, codec).value();
    QVERIFY(log->append(life.next(10)).ok());
    QVERIFY(log->save().ok());
    QCOMPARE(log->finish_saving().error().what, std::string("no page"));
    QVERIFY(log->finish_saving().ok());  // reported only once
}

void EventLogTest::unfinished_state_is_ignored() {
    Folder folder;
    Life life;
    save_at_100_and_200(folder, life);
    // Simulates a process that was killed before it wrote the first page, which comes last.
    folder.change("UPDATE state SET page = 7 WHERE sequence = 200");
    const Restored restored = folder.open()->restore().value();
    QVERIFY(restored.findings.empty());
    QCOMPARE(restored.folded, std::uint64_t(100));
    QVERIFY(content(restored.state) == content(life.state()));
    auto log = folder.open();
    for (int i = 0; i < 2; ++i) {
        QVERIFY(log->append(life.next(100)).ok());
        QVERIFY(log->save().ok());
        QVERIFY(log->finish_saving().ok());
    }
    QCOMPARE(folder.ask("SELECT group_concat(DISTINCT sequence) FROM state"), std::string("300,400"));
}

void EventLogTest::oldest_events_are_trimmed_and_the_state_stays() {
    Folder folder;
    Life life;
    auto log = folder.open({300, 1u << 30});
    for (int i = 0; i < 20; ++i) {
        QVERIFY(log->append(life.next(100)).ok());
        QVERIFY(log->save().ok());
        QVERIFY(log->finish_saving().ok());
    }
    QCOMPARE(folder.ask("SELECT count(*), min(sequence), max(sequence) FROM event"), std::string("300|1701|2000"));
    QCOMPARE(folder.ask("SELECT count(DISTINCT sequence) FROM state"), std::string("2"));
    QVERIFY(content(folder.open()->restore().value().state) == content(life.state()));
    // Events that the older saved state needs are kept, even if the limit is lower.
    auto strict = folder.open({0, 0});
    QVERIFY(strict->append(life.next(100)).ok());
    QVERIFY(strict->save().ok());
    QVERIFY(strict->finish_saving().ok());
    QCOMPARE(folder.ask("SELECT min(sequence) FROM event"), std::string("2001"));
}

void EventLogTest::receipts_stay_when_the_oldest_events_are_trimmed() {
    Folder folder;
    auto log = folder.open({300, 1u << 30});
    std::uint64_t sequence = 0;
    for (int i = 0; i < 20; ++i) {
        std::vector<Event> events;
        for (int n = 0; n < 100; ++n) {
            Receipt receipt;
            receipt.number = static_cast<std::uint64_t>(i) + 1;
            const Event::Body body = n == 50 ? Event::Body(LeaseReclaimed{receipt, "hash"})
                                             : Event::Body(Noted{Severity::info, "c", "", "t"});
            events.push_back({++sequence, TimePoint(Duration(1)), body});
        }
        QVERIFY(log->append(events).ok());
        QVERIFY(log->save().ok());
        QVERIFY(log->finish_saving().ok());
    }
    QCOMPARE(folder.ask("SELECT count(*) FROM event WHERE kind <> 'lease_reclaimed'"), std::string("297"));
    QueryLog query;
    query.kind = kind_name(LeaseReclaimed{});
    query.oldest = true;
    QCOMPARE(log->query(query).value().events.size(), std::size_t(20));
    // Without a saved state all events are folded again. Trimmed events between receipts count as one gap.
    log.reset();
    (void)folder.ask("DELETE FROM state");
    const Restored restored = folder.open()->restore().value();
    QCOMPARE(restored.findings.size(), std::size_t(1));
    QCOMPARE(restored.state.lease_book.receipts, std::uint64_t(20));
}

/// Simulates a log with a stored event that cannot be read again: its task has 199,999 empty file references.
void EventLogTest::log_with_unreadable_events_opens_and_names_them() {
    Folder folder;
    Life life;
    const auto events = life.next(200);
    QVERIFY(folder.open()->append(events).ok());
    const std::string task = task_of(events[100].body).value();
    TaskSubmitted bomb = get<TaskSubmitted>(events[100].body);
    bomb.files.resize(199'999);
    const std::string body = wire::encode_event({101, {}, bomb}).value();
    QVERIFY(!wire::decode_event(std::as_bytes(std::span(body))).ok());
    {
        SQLite::Database database(folder.file.string(), SQLite::OPEN_READWRITE);
        SQLite::Statement poison(database, "UPDATE event SET body = ? WHERE sequence = 101");
        poison.bind(1, body.data(), static_cast<int>(body.size()));
        poison.exec();
    }
    auto log = folder.open();
    const Restored restored = log->restore().value();
    QCOMPARE(restored.findings.size(), std::size_t(1));
    QCOMPARE(restored.findings[0].sequence, std::uint64_t(101));
    QCOMPARE(restored.findings[0].kind, std::string("task_submitted"));
    QCOMPARE(restored.findings[0].task.value(), task);
    QCOMPARE(restored.state.sequence, std::uint64_t(200));
    QCOMPARE(folder.ask("SELECT length(body) > 400000 FROM event WHERE sequence = 101"), std::string("1"));
    // A search shows a line that reports the unreadable event.
    const LogPage page = log->query({"", "", 100, 1, 102}).value();
    QCOMPARE(page.events.size(), std::size_t(1));
    QVERIFY(describe(page.events[0].body).find("cannot be read") != std::string::npos);
    // The last event is unreadable too: its number is not reused.
    folder.change("UPDATE event SET body = x'ff' WHERE sequence = 200");
    QCOMPARE(folder.open()->restore().value().state.sequence, std::uint64_t(200));
}

void EventLogTest::missing_events_are_reported() {
    Folder folder;
    Life life;
    QVERIFY(folder.open()->append(life.next(50)).ok());
    folder.change("DELETE FROM event WHERE sequence BETWEEN 20 AND 29");
    const Restored restored = folder.open()->restore().value();
    QCOMPARE(restored.findings.size(), std::size_t(1));
    QVERIFY(restored.findings[0].what.find("events 20 to 29") != std::string::npos);
    QCOMPARE(restored.state.sequence, std::uint64_t(50));
}

void EventLogTest::pages_reach_every_event_in_both_directions() {
    Folder folder;
    Life life;
    auto log = folder.open();
    QVERIFY(log->append(life.next(5000)).ok());
    for (const bool oldest : {false, true}) {
        QueryLog query;
        query.limit = 4000;  // a page holds fewer
        query.oldest = oldest;
        std::set<std::uint64_t> seen;
        for (bool more = true; more;) {
            const LogPage page = log->query(query).value();
            QVERIFY(!page.events.empty());
            for (std::size_t i = 1; i < page.events.size(); ++i)
                QVERIFY(page.events[i].sequence > page.events[i - 1].sequence);
            for (const Event& event : page.events) QVERIFY(seen.insert(event.sequence).second);
            query.before = oldest ? 0 : page.events.front().sequence;
            query.after = oldest ? page.events.back().sequence : 0;
            more = page.more;
        }
        QCOMPARE(seen.size(), std::size_t(5000));
    }
    // Reads a task's whole curve.
    QueryLog curve;
    curve.task = "gpt-3";
    curve.kind = "step_done";
    curve.oldest = true;
    curve.limit = 1000;
    const LogPage page = log->query(curve).value();
    QCOMPARE(page.events.size(), std::size_t(97));
    QCOMPARE(get<StepDone>(page.events.back().body).record.step, std::int64_t(97));
    QVERIFY(!page.more);
}

void EventLogTest::page_of_large_events_is_shortened() {
    Folder folder;
    auto log = folder.open();
    std::vector<Event> events;
    for (std::uint64_t i = 1; i <= 20; ++i)
        events.push_back(
            {i,
             {},
             TaskSubmitted{TaskId("t-" + std::to_string(i)), "t", std::string(400'000, 'x'), "", "", {}, "", 0}});
    QVERIFY(log->append(events).ok());
    const LogPage page = log->query({}).value();
    QVERIFY(page.more && page.events.size() >= 1 && page.events.size() < 5);
    QVERIFY(wire::encode(page).ok());
}

void EventLogTest::search_text_is_taken_literally() {
    Folder folder;
    auto log = folder.open();
    QVERIFY(log->append(std::vector<Event>{{1, {}, Noted{Severity::info, "a", "", "100% done"}},
                                           {2, {}, Noted{Severity::info, "a", "", "100 done"}}})
                .ok());
    QCOMPARE(log->query({"", "0%", 0, 10}).value().events.size(), std::size_t(1));
    QCOMPARE(log->query({"' OR 1=1 --", "", 0, 10}).value().events.size(), std::size_t(0));
}

void EventLogTest::log_of_twenty_thousand_events_opens_quickly() {
    Folder folder;
    Life life;
    {
        auto log = folder.open();
        for (int i = 0; i < 200; ++i) {
            QVERIFY(log->append(life.next(100)).ok());
            if (log->unsaved() >= save_interval && i < 199) QVERIFY(log->save().ok());
        }
    }
    const auto start = std::chrono::steady_clock::now();
    const Restored restored = folder.open()->restore().value();
    const double saved_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    QVERIFY(content(restored.state) == content(life.state()));
    QVERIFY(restored.folded <= save_interval);
    qInfo("20,000 events: opened in %.1f ms, %llu of them folded", saved_ms,
          static_cast<unsigned long long>(restored.folded));
    QCOMPARE(folder.ask("SELECT count(*) FROM event"), std::string("20000"));
}

DIVISI_TEST(EventLogTest)

}  // namespace event_log_test

#include "event_log_test.moc"
