// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that a hanging disk stops only the recording that is written to it.
#include "app/client/recorder.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <condition_variable>
#include <mutex>

#include "app/client/replay_client.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace recorder_test {

using namespace divisi;
using namespace std::chrono_literals;
using client::Recorder;

namespace {

/// Timeouts for a hanging disk. On a busy machine, the thread that opens the file may start late.
constexpr client::RecorderPatience hasty{1500ms, 50ms, 20ms, 100ms};
/// Timeouts long enough to complete a file on a slow test disk.
constexpr client::RecorderPatience patient{20s, 20s, 20s, 20s};

/// A disk that answers when the test requests it, like a disk whose cable was pulled.
class Disk {
public:
    void hang() { set(true); }
    void answer() { set(false); }
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !hangs_; });
    }
    std::size_t records() const {
        const std::lock_guard lock(mutex_);
        return records_;
    }
    bool closed() const {
        const std::lock_guard lock(mutex_);
        return closed_;
    }
    void take(std::size_t count) {
        const std::lock_guard lock(mutex_);
        records_ += count;
    }
    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }

private:
    void set(bool hangs) {
        const std::lock_guard lock(mutex_);
        hangs_ = hangs;
        changed_.notify_all();
    }
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool hangs_ = false, closed_ = false;
    std::size_t records_ = 0;
};

class DiskSink final : public client::RecordSink {
public:
    explicit DiskSink(std::shared_ptr<Disk> disk) : disk_(std::move(disk)) {}
    Result<void> write(std::span<const store::Record> records) override {
        disk_->wait();
        disk_->take(records.size());
        return {};
    }
    Result<void> finish() override {
        disk_->wait();
        disk_->close();
        return {};
    }
    Bytes size() const override { return static_cast<Bytes>(disk_->records()); }

private:
    std::shared_ptr<Disk> disk_;
};

client::OpenSink on(const std::shared_ptr<Disk>& disk) {
    return [disk](const auto&, const auto&) -> Result<std::unique_ptr<client::RecordSink>> {
        disk->wait();
        return std::unique_ptr<client::RecordSink>(std::make_unique<DiskSink>(disk));
    };
}

}  // namespace

class RecorderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        disk_ = std::make_shared<Disk>();
        cluster_ = std::make_unique<testing::ScriptedClient>();
        cluster_->connect_to(QStringLiteral("lab"));
    }
    void cleanup() { disk_->answer(); }

    void finished_recording_contains_every_received_step() {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath(QStringLiteral("lab.divisirec")).toStdString();
        Recorder recorder(*cluster_, nullptr, client::open_recording, patient);
        QSignalSpy failed(&recorder, &Recorder::failed);
        QVERIFY(recorder.start(file).ok());
        cluster_->play();
        recorder.stop();
        QVERIFY(!recorder.active());
        QVERIFY(recorder.size() > 0);
        const auto replay = client::ReplayClient::open(file);
        QVERIFY(replay.ok() && (*replay)->note().isEmpty());
        (*replay)->show((*replay)->end());
        QCOMPARE((*replay)->data().state.tasks.at(TaskId("gpt-text-1")).step, std::int64_t{10});
        QVERIFY(failed.isEmpty());
    }

    void hanging_disk_does_not_block_the_window() {
        Recorder recorder(*cluster_, nullptr, on(disk_), hasty);
        QSignalSpy failed(&recorder, &Recorder::failed), changed(&recorder, &Recorder::activeChanged);
        QVERIFY(recorder.start("lab.divisirec").ok());
        disk_->hang();
        QElapsedTimer time;
        time.start();
        // One batch is being written, and the maximum number waits in the queue.
        for (std::size_t i = 0; i < 3 * client::most_waiting_mails && recorder.active(); ++i) say();
        QVERIFY(time.elapsed() < 1000);
        QVERIFY(!recorder.active());
        QCOMPARE(changed.size(), 2);
        QCOMPARE(failed.size(), 1);
        const QString why = failed[0][0].toString();
        QVERIFY2(why.contains(QStringLiteral("the disk of lab.divisirec is too slow")), qPrintable(why));
        QVERIFY2(why.contains(QStringLiteral("not in the file")), qPrintable(why));
        // Once the disk answers, the waiting batches are written after all.
        disk_->answer();
        QTRY_VERIFY(disk_->closed());
        QVERIFY(disk_->records() > client::most_waiting_mails);
    }

    void end_of_a_recording_does_not_wait_for_the_disk() {
        Recorder recorder(*cluster_, nullptr, on(disk_), hasty);
        QSignalSpy failed(&recorder, &Recorder::failed);
        QVERIFY(recorder.start("lab.divisirec").ok());
        disk_->hang();
        say();
        QElapsedTimer time;
        time.start();
        recorder.stop();
        QVERIFY(time.elapsed() < 1000);
        QVERIFY(!recorder.active());
        QVERIFY(!disk_->closed());
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, 15'000);
        const QString why = failed[0][0].toString();
        QVERIFY2(why.contains(QStringLiteral("not in the file yet")), qPrintable(why));
        // Meanwhile, a recording to another disk works.
        const auto other = std::make_shared<Disk>();
        Recorder second(*cluster_, nullptr, on(other), hasty);
        QVERIFY(second.start("other.divisirec").ok());
        second.stop();
        QTRY_VERIFY(other->closed());
    }

    void closing_the_program_waits_only_briefly() {
        auto recorder = std::make_unique<Recorder>(*cluster_, nullptr, on(disk_), hasty);
        QVERIFY(recorder->start("lab.divisirec").ok());
        disk_->hang();
        say();
        QElapsedTimer time;
        time.start();
        recorder.reset();
        QVERIFY(time.elapsed() < 5000);
        QVERIFY(!disk_->closed());
        disk_->answer();
        QTRY_VERIFY(disk_->closed());  // closed by the abandoned thread
    }

    void nothing_is_recorded_to_a_disk_that_does_not_answer() {
        disk_->hang();
        Recorder recorder(*cluster_, nullptr, on(disk_), hasty);
        QElapsedTimer time;
        time.start();
        const Result<void> begun = recorder.start("lab.divisirec");
        QVERIFY(time.elapsed() < 5000);
        QVERIFY(!begun.ok());
        QCOMPARE(begun.error().code, ErrorCode::unavailable);
        QVERIFY(begun.error().next.find("another disk") != std::string::npos);
        QVERIFY(!recorder.active());
    }

    void error_of_creating_the_file_is_reported_at_once() {
        Recorder recorder(*cluster_);
        const Result<void> begun = recorder.start("/nowhere/at/all.divisirec");
        QVERIFY(!begun.ok());
        QVERIFY(!recorder.active());
    }

private:
    void say() { cluster_->tell(control::Noted{Severity::info, "test", "", "said"}); }

    std::shared_ptr<Disk> disk_;
    std::unique_ptr<testing::ScriptedClient> cluster_;
};

DIVISI_TEST(RecorderTest)

}  // namespace recorder_test

#include "recorder_test.moc"
