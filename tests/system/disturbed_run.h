// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <QTest>
#include <algorithm>
#include <functional>

#include "tests/system/programs.h"

namespace divisi::tests {

/// Steps of a training that lasts until the test has disturbed and stopped it.
inline constexpr int endless = 1'000'000;

/// `divisictl run --json` while processes of its task are killed. Collects its output.
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

    /// Waits until `holds` is true for the printed lines. Returns false if the run ends before, or on timeout.
    bool wait_until(const std::function<bool()>& holds, int limit_ms = 120'000) {
        const auto settled = [&] {
            const bool over = is_over();
            read_lines();
            return holds() || over;
        };
        return QTest::qWaitFor(settled, limit_ms) && holds();
    }
    bool wait_for_steps(int step) {
        return wait_until([&] { return furthest_ >= step; });
    }
    /// Waits until the run has trained ten steps beyond its furthest step.
    bool wait_for_more_steps() { return wait_for_steps(furthest_ + 10); }
    /// Waits until the run trains in this generation. Steps of earlier generations may still be unread.
    bool wait_for_generation(int wanted) {
        return wait_until([&] { return generation() >= wanted; });
    }
    /// Waits for a checkpoint committed after this step.
    bool wait_for_checkpoint(int after = 0) {
        return wait_until([&] { return last("checkpoint")["step"].toInt() > after; });
    }
    bool wait_for_recoveries(qsizetype count) {
        return wait_until([&] { return all("recovery").size() >= count; });
    }
    /// Waits for the end and returns the exit status; -1 on timeout.
    int wait_for_end() {
        return wait_until([&] { return is_over(); }) ? process_.exitCode() : -1;
    }
    /// Interrupts the run, as an operator does, and checks its exit status.
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
    /// Returns the generation of the last step.
    int generation() const { return last("step")["generation"].toInt(); }
    bool is_over() const { return process_.state() == QProcess::NotRunning; }
    /// Returns the newest output of the run, for the message of a failed check.
    QByteArray told() {
        read_lines();
        QByteArray text;
        for (const QJsonObject& line : lines_.last(std::min<qsizetype>(lines_.size(), 5)))
            text += QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n';
        return text + (errors_ += process_.readAllStandardError()).right(1'000);
    }
    /// Runs the same training in one process, with as many steps as this run has done.
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
    void read_lines() {
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

/// Checks the steps of a run that is over. Steps are consecutive, except that a recovery or re-cut returns to the step
/// that it reports. Repeated steps have the same bits. All steps have the bits of the same training in one process.
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

/// Sends a signal to the processes that have this role ("gpt-1/stage-1"), and returns their ids.
inline QList<qint64> signal_role(const Programs& programs, const QString& role, int signal) {
    const QList<qint64> found = programs.pids("divisi-instance", role.toUtf8() + '/');
    for (const qint64 pid : found) ::kill(static_cast<pid_t>(pid), signal);
    return found;
}

/// Kills the orchestrator and waits until its host has restarted it. The process `stopped`, if any, resumes as soon
/// as the orchestrator is dead.
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
