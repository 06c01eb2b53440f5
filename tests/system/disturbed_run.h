// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <QTest>
#include <algorithm>
#include <functional>

#include "tests/system/programs.h"

namespace divisi::tests {

/// For how long a training must go on that a test disturbs, and then stops.
inline constexpr int endless = 1'000'000;

/// `divisictl run --json` while processes of its task are killed: what it has printed so far.
class DisturbedRun {
public:
    DisturbedRun(const Programs& programs, QString file, const QStringList& settings = {})
        : programs_(programs), file_(std::move(file)), settings_(settings) {
        process_.setProcessEnvironment(programs.environment());
        process_.start(Programs::program("divisictl"), with_settings({"run", file_, "--json"}, settings));
    }
    ~DisturbedRun() {
        if (is_over()) return;
        process_.terminate();
        if (!process_.waitForFinished(20'000)) process_.kill();
        process_.waitForFinished();
    }

    /// Waits until that is so of what was printed; false where the run ends without, or where it takes too long.
    bool wait_until(const std::function<bool()>& holds, int limit_ms = 120'000) {
        const auto settled = [&] {
            const bool over = is_over();
            look();
            return holds() || over;
        };
        return QTest::qWaitFor(settled, limit_ms) && holds();
    }
    bool wait_for_steps(int step) {
        return wait_until([&] { return furthest_ >= step; });
    }
    /// Steps that nobody had done before.
    bool wait_for_more_steps() { return wait_for_steps(furthest_ + 10); }
    /// Until it has trained by this generation: steps of those before may not have been read yet.
    bool wait_for_generation(int wanted) {
        return wait_until([&] { return generation() >= wanted; });
    }
    /// One that was committed after this step.
    bool wait_for_checkpoint(int after = 0) {
        return wait_until([&] { return last("checkpoint")["step"].toInt() > after; });
    }
    bool wait_for_recoveries(qsizetype count) {
        return wait_until([&] { return all("recovery").size() >= count; });
    }
    /// Its status; -1 where it does not end.
    int wait_for_end() {
        return wait_until([&] { return is_over(); }) ? process_.exitCode() : -1;
    }
    /// What an operator does who has seen enough.
    void stop() {
        process_.terminate();
        QCOMPARE(wait_for_end(), 130);
    }

    const QList<QJsonObject>& lines() const { return lines_; }
    QList<QJsonObject> all(const QString& event) const {
        QList<QJsonObject> found;
        for (const QJsonObject& line : lines_)
            if (line["event"].toString() == event) found.append(line);
        return found;
    }
    QJsonObject last(const QString& event) const {
        const auto of_kind = [&](const QJsonObject& line) { return line["event"].toString() == event; };
        const auto found = std::find_if(lines_.rbegin(), lines_.rend(), of_kind);
        return found == lines_.rend() ? QJsonObject() : *found;
    }
    /// Of the last step.
    int generation() const { return last("step")["generation"].toInt(); }
    bool is_over() const { return process_.state() == QProcess::NotRunning; }
    /// The newest of what it said, for whoever looks into a failure.
    QByteArray told() {
        look();
        QByteArray text;
        for (const QJsonObject& line : lines_.last(std::min<qsizetype>(lines_.size(), 5)))
            text += QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n';
        return text + (errors_ += process_.readAllStandardError()).right(1'000);
    }
    /// The same training in one process, as many steps as this one has done.
    Finished reference() const {
        QStringList settings = settings_;
        settings << "train.steps=" + QString::number(furthest_);
        return programs_.run(with_settings({"reference", file_, "--json"}, settings), 240'000);
    }

private:
    static QStringList with_settings(QStringList arguments, const QStringList& settings) {
        for (const QString& setting : settings) arguments << "--set" << setting;
        return arguments;
    }
    void look() {
        process_.setReadChannel(QProcess::StandardOutput);
        while (process_.canReadLine()) {
            lines_.append(QJsonDocument::fromJson(process_.readLine()).object());
            if (lines_.last()["event"].toString() == "step")
                furthest_ = std::max(furthest_, lines_.last()["step"].toInt());
        }
    }

    const Programs& programs_;
    QString file_;
    QStringList settings_;
    QProcess process_;
    QList<QJsonObject> lines_;
    QByteArray errors_;
    int furthest_ = 0;
};

/// Of a run that is over: its steps follow each other, but that a recovery or re-cut goes back to where it says; what
/// was done again had the same bits; and all have those of the same training in one process.
inline void expect_reference_bits(const DisturbedRun& run) {
    QMap<QString, QMap<int, QString>> bits;  // by event and step
    int next = 1, generation = 1;
    for (const QJsonObject& line : run.lines()) {
        const QString event = line["event"].toString();
        const int step = line["step"].toInt();
        if (event == "recovery" || event == "recut") {
            QVERIFY2(step < next, qPrintable(QString("goes back to %1 before step %2").arg(step).arg(next)));
            QVERIFY(event == "recut" || !line["reason"].toString().isEmpty());
            QCOMPARE(line["generation"].toInt(), ++generation);
            next = step + 1;
            continue;
        }
        if (event != "step" && event != "evaluation") continue;
        const QString now = line["loss_bits"].toString(), before = bits[event].value(step, now);
        QVERIFY2(now == before, qPrintable(QString("%1 %2 again: %3, not %4").arg(event).arg(step).arg(now, before)));
        bits[event][step] = now;
        if (event == "evaluation") continue;
        QCOMPARE(step, next++);
        QCOMPARE(line["generation"].toInt(), generation);
    }
    const Finished reference = run.reference();
    QVERIFY2(reference.status == 0, qPrintable(reference.errors));
    QCOMPARE(QStringList(bits["step"].values()), reference.losses());
    for (const QJsonObject& one : reference.objects("evaluation"))
        QCOMPARE(bits["evaluation"].value(one["step"].toInt()), one["loss_bits"].toString());
}

/// Sends a signal to the processes that play this role ("gpt-1/stage-1"), and says which they were.
inline QList<qint64> signal_role(const Programs& programs, const QString& role, int signal) {
    const QList<qint64> found = programs.pids("divisi-instance", role.toUtf8() + '/');
    for (const qint64 pid : found) ::kill(static_cast<pid_t>(pid), signal);
    return found;
}

/// Kills the orchestrator, which whoever hosts the cluster starts again, and waits until it is there. Whoever was
/// stopped goes on as soon as it is dead.
inline void kill_orchestrator(const Programs& programs, pid_t stopped = 0) {
    const auto before = programs.pids("divisid");
    for (const qint64 pid : before) ::kill(static_cast<pid_t>(pid), SIGKILL);
    if (stopped != 0) ::kill(stopped, SIGCONT);
    QCOMPARE(before.size(), 1);
    const auto is_back = [&] {
        const auto now = programs.pids("divisid");
        return now.size() == 1 && now != before;
    };
    QVERIFY(QTest::qWaitFor(is_back, 30'000));
}

}  // namespace divisi::tests
