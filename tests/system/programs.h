// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

#include "tests/support/task_file.h"

namespace divisi::tests {

/// A task whose two stages are in two MICs. Each step sends 4 MB in each direction, in tensors of 1 MB, and computes
/// little.
inline testing::TaskFile wide_task(int steps) {
    return testing::TaskFile("wide")
        .section("model", {{"inputs", 16}, {"width", 256}, {"layers", 2}, {"classes", 4}})
        .set("data.samples", 8192)
        .section("train", {{"steps", steps}, {"batch", 4096}, {"microbatches", 4}, {"optimizer", "sgd"}})
        .section("split", {{"stages", 2}, {"schedule", "1f1b"}})
        .set("place.stages", {"mic-1/node-1", "mic-2/node-2"});
}

/// A program that was run to its end.
struct Finished {
    int status = -1;
    QString output, errors;

    /// Returns the printed JSON objects, one per line; with `event`, only the objects of this event.
    QList<QJsonObject> objects(const QString& event = {}) const {
        QList<QJsonObject> found;
        for (const QString& line : output.split('\n', Qt::SkipEmptyParts)) {
            const QJsonDocument document = QJsonDocument::fromJson(line.toUtf8());
            if (document.isObject() && (event.isEmpty() || document["event"].toString() == event))
                found.append(document.object());
        }
        return found;
    }
    QStringList losses() const {
        QStringList bits;
        for (const QJsonObject& step : objects("step")) bits.append(step["loss_bits"].toString());
        return bits;
    }
};

/// The programs on their own data folder, so that tests affect neither each other nor the user's cluster.
class Programs {
public:
    Programs() {
        environment_ = QProcessEnvironment::systemEnvironment();
        environment_.insert("DIVISI_DATA", data());
        environment_.insert("XDG_RUNTIME_DIR", folder_.path());
    }
    ~Programs() {
        if (up_) run({"cluster", "down"});
    }

    QString folder() const { return folder_.path(); }
    QString data() const { return folder_.filePath("data"); }
    QProcessEnvironment environment() const { return environment_; }
    /// Sets an environment variable for every program started from now on.
    void set_variable(const QString& name, const QString& value) { environment_.insert(name, value); }
    static QString program(const QString& name) { return QString(DIVISI_BIN_DIR) + "/" + name; }

    /// Runs divisictl with `arguments` to its end.
    Finished run(const QStringList& arguments, int limit_ms = 120'000) const {
        QProcess process;
        process.setProcessEnvironment(environment_);
        process.start(program("divisictl"), arguments);
        process.closeWriteChannel();
        Finished finished;
        if (!process.waitForFinished(limit_ms)) {
            process.kill();
            process.waitForFinished();
            finished.errors = "timed out; ";
        } else if (process.exitStatus() == QProcess::NormalExit) {
            finished.status = process.exitCode();
        }
        finished.output = process.readAllStandardOutput();
        finished.errors += process.readAllStandardError();
        return finished;
    }
    /// Keeps an embedded cluster running, so that many runs need not start one each.
    bool cluster_up() {
        up_ = run({"cluster", "up"}).status == 0;
        return up_;
    }
    QString write(const QString& name, const QByteArray& text) const {
        const QString path = folder_.filePath(name);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write %s", qPrintable(path));
        return path;
    }
    QString write(const QString& name, const testing::TaskFile& task) const {
        return write(name, QByteArray::fromStdString(task.text()));
    }
    /// Writes the file of a small task in two stages and returns its path. Any machine trains a step of the task within
    /// milliseconds.
    QString small_task(const QString& name, int steps) const {
        return write(name + ".toml",
                     testing::TaskFile(name.toStdString()).set("train.steps", steps).set("split.stages", 2));
    }
    /// Writes a gpt task with stages on mic-1/node-1 and on `last` in another MIC. Returns the path of the file.
    QString task_across_mics(const QString& name, int steps, const QString& last = "mic-2/node-1") const {
        return write(name + ".toml",
                     testing::TaskFile(name.toStdString())
                         .gpt(2, 64, 2, 32)
                         .section("train", {{"steps", steps}, {"microbatches", 4}, {"optimizer", "adamw"}})
                         .section("split", {{"stages", 2}, {"schedule", "1f1b"}})
                         .set("place.stages", {"mic-1/node-1", last.toStdString().c_str()}));
    }
    /// Returns the command lines of Divisi's processes that name this data folder.
    QStringList left_behind() const {
        QStringList found;
        for (const QString& pid : QDir("/proc").entryList(QDir::Dirs)) {
            QFile file("/proc/" + pid + "/cmdline");
            if (!file.open(QIODevice::ReadOnly)) continue;
            const QByteArray line = file.readAll();
            if (line.contains(folder_.path().toUtf8()) && line.contains("divisi"))
                found.append(QString(line).replace(QChar('\0'), ' '));
        }
        return found;
    }
    /// Returns the ids of this program's processes on this data folder whose command line contains `argument`.
    QList<qint64> pids(const QByteArray& program, const QByteArray& argument = {}) const {
        QList<qint64> found;
        for (const QString& pid : QDir("/proc").entryList(QDir::Dirs)) {
            QFile file("/proc/" + pid + "/cmdline");
            if (!file.open(QIODevice::ReadOnly)) continue;
            const QByteArray line = file.readAll();
            if (line.left(line.indexOf('\0')).endsWith("/" + program) && line.contains(folder_.path().toUtf8()) &&
                line.contains(argument))
                found.append(pid.toLongLong());
        }
        return found;
    }
    /// Returns the sockets and locks below the folder.
    QStringList leftover_files() const {
        QStringList found;
        collect_leftovers(folder_.path(), found);
        return found;
    }

private:
    static void collect_leftovers(const QString& path, QStringList& found) {
        for (const QFileInfo& entry :
             QDir(path).entryInfoList(QDir::AllEntries | QDir::System | QDir::Hidden | QDir::NoDotAndDotDot)) {
            if (entry.isDir()) collect_leftovers(entry.filePath(), found);
            else if (entry.fileName().endsWith(".sock") || entry.fileName() == "lock" ||
                     (!entry.isFile() && !entry.isSymLink()))
                found.append(entry.filePath());
        }
    }

    QTemporaryDir folder_{QDir::tempPath() + "/dv-XXXXXX"};
    QProcessEnvironment environment_;
    bool up_ = false;
};

}  // namespace divisi::tests
