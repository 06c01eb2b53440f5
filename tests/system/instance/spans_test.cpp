// SPDX-License-Identifier: Apache-2.0
#include <QElapsedTimer>
#include <cmath>
#include <map>
#include <set>

#include "backend/control/types/span_types.h"
#include "backend/link/control_client.h"
#include "backend/link/zmq_transport.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"

namespace spans_test {

using namespace divisi;
using divisi::tests::Programs;

namespace {

constexpr int more_than_enough_steps = 200'000;
const TaskId the_task("spans-1");

/// A client that receives measured spans.
class Watcher {
public:
    explicit Watcher(const Programs& programs)
        : transport_(context_, loop_, std::nullopt),
          client_(loop_, transport_, *link::read_connection(programs.data().toStdString() + "/connection.toml"),
                  {"watcher", "1", control::Role::viewer, ""}) {
        client_.start([](const auto&) {},
                      [this](std::uint64_t, const control::Message& message) {
                          if (const auto* push = get_if<control::SpanPush>(&message)) heard.push_back(*push);
                      });
    }
    bool connected() const { return client_.state().kind == link::ControlClient::State::Kind::connected; }
    void watch(const TaskId& task = the_task) {
        client_.request(control::WatchSpans{task}, std::chrono::seconds(10), [this](Result<control::Message> reply) {
            if (!reply.ok()) refused = reply.error().message();
        });
    }
    bool run_until(const std::function<bool()>& condition, int limit_ms) {
        QElapsedTimer timer;
        for (timer.start(); !condition() && timer.elapsed() < limit_ms;) run_for(20);
        return condition();
    }
    void run_for(int ms) {
        loop_.after(std::chrono::milliseconds(ms), [this] { loop_.stop(); });
        loop_.run();
    }
    /// Returns the steps that both stages have reported.
    std::set<std::int64_t> whole_steps() const {
        std::map<std::int64_t, std::set<InstanceId>> reporters;
        for (const control::SpanPush& one : heard) reporters[one.spans.step].insert(one.spans.instance);
        std::set<std::int64_t> steps;
        for (const auto& [step, instances] : reporters)
            if (instances.size() >= 2) steps.insert(step);
        return steps;
    }

    std::vector<control::SpanPush> heard;
    std::string refused;

private:
    link::Context context_;
    link::EventLoop loop_;
    link::ZmqTransport transport_;
    link::ControlClient client_;
};

/// Returns the nanoseconds of each kind of operation in a step, from the instance's own trace.
std::map<std::string, double> traced(const QString& folder, const control::InstanceSpans& spans) {
    QString name = QString::fromStdString(spans.instance.value());
    QFile file(folder + '/' + name.replace('/', '.') + ".csv");
    std::map<std::string, double> sums;
    if (!file.open(QIODevice::ReadOnly)) return sums;
    while (!file.atEnd()) {
        const QList<QByteArray> cells = file.readLine().split(',');
        if (cells.size() < 8 || cells[2].toLongLong() != spans.step) continue;
        sums[cells[1].toStdString()] += static_cast<double>(cells[7].toLongLong() - cells[6].toLongLong());
    }
    return sums;
}

}  // namespace

/// Tests that instances of a real run report the spans of their operations only to watchers. The reports must match the
/// instances' own measurements.
class Spans : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void spans_arrive_while_a_client_watches();
    void watching_an_unknown_task_is_refused();
    void spans_match_the_trace();
    void cleanupTestCase();

private:
    Programs programs_;
    QProcess run_;
    std::vector<control::SpanPush> heard_;
};

void Spans::initTestCase() {
    QVERIFY(QDir().mkpath(programs_.folder() + "/trace"));
    programs_.set_variable("DIVISI_TRACE", programs_.folder() + "/trace");
    QVERIFY(programs_.cluster_up());
    run_.setProcessEnvironment(programs_.environment());
    run_.start(Programs::program("divisictl"),
               {"run", programs_.task_across_mics("spans", more_than_enough_steps), "--json"});
    QVERIFY(QTest::qWaitFor([&] { return run_.canReadLine() || run_.state() == QProcess::NotRunning; }, 60'000));
    QCOMPARE(run_.state(), QProcess::Running);
}

void Spans::spans_arrive_while_a_client_watches() {
    Watcher watcher(programs_);
    QVERIFY(watcher.run_until([&] { return watcher.connected(); }, 15'000));
    watcher.run_for(4000);
    QVERIFY(watcher.heard.empty());
    QElapsedTimer asked;
    const auto enough = [&] {
        if (!asked.isValid() || asked.elapsed() > 2000) {
            watcher.watch();
            asked.start();
        }
        return watcher.whole_steps().size() >= 3 || !watcher.refused.empty();
    };
    QVERIFY2(watcher.run_until(enough, 60'000), "no three steps that both stages reported within a minute");
    QVERIFY2(watcher.refused.empty(), watcher.refused.c_str());
    for (const control::SpanPush& one : watcher.heard) {
        QCOMPARE(one.spans.task, the_task);
        QVERIFY(!one.spans.spans.empty() && one.spans.length > Duration{});
        QCOMPARE(one.clock, watcher.heard.front().clock);  // all instances run on this machine
        QVERIFY(std::abs(to_ms(one.offset)) < 5000);
        // Each instance reports at most one step per second.
        for (const control::SpanPush& other : watcher.heard)
            if (other.spans.instance == one.spans.instance && other.spans.step > one.spans.step)
                QVERIFY(other.spans.begin + other.spans.length - one.spans.begin - one.spans.length >=
                        control::least_span_interval);
    }
    // the subscription expires, also at the instances
    watcher.run_for(static_cast<int>(to_ms(control::span_watch)) + 3000);
    const std::size_t before = watcher.heard.size();
    watcher.run_for(5000);
    QCOMPARE(watcher.heard.size(), before);
    heard_ = watcher.heard;
}

void Spans::watching_an_unknown_task_is_refused() {
    Watcher watcher(programs_);
    QVERIFY(watcher.run_until([&] { return watcher.connected(); }, 15'000));
    watcher.watch(TaskId("nothing-7"));
    QVERIFY(watcher.run_until([&] { return !watcher.refused.empty(); }, 15'000));
    QVERIFY2(watcher.refused.find("nothing-7") != std::string::npos, watcher.refused.c_str());
}

/// Every process exits normally first, so that its trace is complete.
void Spans::spans_match_the_trace() {
    QVERIFY(!heard_.empty());
    run_.terminate();
    QVERIFY(run_.waitForFinished(60'000));
    QCOMPARE(programs_.run({"cluster", "down"}).status, 0);
    for (const control::SpanPush& one : heard_) {
        std::map<std::string, double> reported;
        for (const control::OperationSpan& span : one.spans.spans)
            reported[plan::to_string(span.kind)] += static_cast<double>(span.length.count());
        const auto wanted = traced(programs_.folder() + "/trace", one.spans);
        QVERIFY2(!wanted.empty(), one.spans.instance.value().c_str());
        for (const char* kind : {"forward", "backward", "optimizer"}) {
            QVERIFY2(reported.contains(kind) && wanted.contains(kind), kind);
            QVERIFY2(std::abs(reported.at(kind) - wanted.at(kind)) <= 0.03 * wanted.at(kind), kind);
        }
    }
}

void Spans::cleanupTestCase() {
    if (run_.state() == QProcess::NotRunning) return;
    run_.kill();
    run_.waitForFinished();
}

DIVISI_TEST(Spans)

}  // namespace spans_test

#include "spans_test.moc"
