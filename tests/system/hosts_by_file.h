// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRegularExpression>
#include <QTest>
#include <functional>
#include <map>
#include <memory>

#include "tests/system/programs.h"

namespace divisi::tests {

/// A cluster that one file starts on several hosts. Runs `divisictl cluster keys` and `cluster start` on each host, in
/// the network namespace that `space` names for it, if any.
class HostsByFile {
public:
    ~HostsByFile() {
        // Terminates all hosts first, then waits for each.
        for (auto& [host, process] : hosts_) process->terminate();
        for (auto& [host, process] : hosts_)
            if (!process->waitForFinished(20'000)) process->kill(), process->waitForFinished();
    }

    /// Fills the keys into `text`, a cluster file without keys. The lines of each host's keys are inserted below the
    /// entry they belong to.
    QString fill_in_keys(const QString& text, const QStringList& hosts) {
        file_ = programs.write("cluster.toml", text.toUtf8());
        QString filled = text;
        for (const QString& host : hosts) {
            const Finished made =
                programs.run({"cluster", "keys", file_, "--host", host, "--data", data(host), "--json"});
            if (made.status != 0) qWarning("%s", qPrintable(made.errors));
            for (const QJsonObject& one : made.objects()) {
                const QString name = one["name"].toString();
                const QString entry = name == "divisid" ? "[cluster]\n" : "name = \"" + name.split('/').last() + "\"\n";
                // Nodes with the same name differ by the MIC that precedes them.
                const qsizetype mic = name.contains('/') ? filled.indexOf("name = \"" + name.split('/').first()) : 0;
                const qsizetype at = filled.indexOf(entry, mic) + entry.size();
                filled.insert(at, one["field"].toString() + " = \"" + one["key"].toString() + "\"\n");
            }
        }
        file_ = programs.write("cluster.toml", filled.toUtf8());
        return filled;
    }
    void start(const QString& host) {
        const QStringList arguments{"cluster", "start", file_, "--host", host, "--data", data(host)};
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(programs.environment());
        process->setProcessChannelMode(QProcess::ForwardedErrorChannel);
        const QString in = space ? space(host) : QString();
        if (in.isEmpty()) process->start(Programs::program("divisictl"), arguments);
        else process->start("ip", QStringList{"netns", "exec", in, Programs::program("divisictl")} + arguments);
        hosts_[host] = std::move(process);
    }
    QProcess& host(const QString& name) { return *hosts_.at(name); }
    QString file() const { return file_; }
    QString data(const QString& host) const { return programs.folder() + "/" + host; }
    QString connection(const QString& orchestrators_host) const {
        return data(orchestrators_host) + "/orchestrator/connection.toml";
    }

    Programs programs;
    std::function<QString(const QString& host)> space;

private:
    QString file_;
    std::map<QString, std::unique_ptr<QProcess>> hosts_;
};

}  // namespace divisi::tests
