// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <QTest>
#include <functional>
#include <memory>

#include "backend/link/security.h"
#include "tests/system/programs.h"

namespace divisi::tests {

/// A cluster whose divisid listens on ipc for this user as admin, and on tcp with CURVE for nodes and clients.
class TcpCluster {
public:
    ~TcpCluster() {
        nodes_.clear();
        if (orchestrator_) end(*orchestrator_);
    }

    /// Starts the cluster. Returns false with a warning if it and all its nodes are not up in time.
    bool start() {
        start_orchestrator();
        if (!QTest::qWaitFor([&] { return QFile::exists(connection()); }, 10'000)) return complain(*orchestrator_);
        const QString way = route ? route(connection()) : connection();
        for (const QString& name : names) {
            const QString key = QString(name).replace('/', '-') + ".key";
            if (!allow(make_key(key), name, "agent")) return false;
            nodes_.push_back(start_node(name, key, way));
        }
        const auto ready = [&] {
            const QString status = programs.run({"cluster", "status", "--json"}).output;
            return status.count("\"state\":\"ready\"") == names.size();
        };
        return QTest::qWaitFor(ready, 20'000) || complain(*nodes_.front());
    }
    /// Starts divisid; may be called again after it has ended. Nodes and clients find it through its connection file.
    void start_orchestrator() {
        orchestrator_ = launch(
            "divisid", place("divisid"),
            QStringList{"--data", programs.data(), "--listen",
                        "ipc://" + programs.folder() + "/control.sock,tcp://" + place("divisid").address + ":0"} +
                options);
    }
    QProcess& orchestrator() { return *orchestrator_; }
    QString connection() const { return programs.data() + "/connection-tcp.toml"; }

    /// Creates a key pair in `file`, a path or a name below the folder, and returns the public key.
    QString make_key(const QString& file) const {
        const auto keys = link::load_or_make_keys(QDir(programs.folder()).filePath(file).toStdString());
        if (!keys) qFatal("%s", keys.error().message().c_str());
        return QString::fromStdString(keys->public_key);
    }
    bool allow(const QString& key, const QString& name, const QString& role) const {
        const Finished added = programs.run({"keys", "add", key, "--name", name, "--role", role});
        if (added.status != 0) qWarning("keys add: %s", qPrintable(added.errors));
        return added.status == 0;
    }
    /// Runs divisictl with the key pair in `key_file`.
    Finished run_as(const QString& key_file, QStringList arguments) const {
        return programs.run(arguments << "--connect" << connection() << "--keys" << programs.folder() + "/" + key_file);
    }
    QProcess& node(int index) { return *nodes_[static_cast<std::size_t>(index)]; }

    using Process = std::unique_ptr<QProcess, void (*)(QProcess*)>;
    /// Starts a node agent with the key pair in `key_file`, whether or not the key is allowed.
    Process start_node(const QString& name, const QString& key_file, const QString& connection) const {
        const QString root = apart ? "/proc/self/cwd" : programs.folder();
        const QString data = root + "/" + QString(name).replace('/', '-');
        return launch("divisi-node", place(name),
                      {"--connect", connection, "--name", name, "--data", data, "--keys",
                       QDir(programs.folder()).filePath(key_file), "--listen", place(name).address});
    }

    /// Starts a gateway or router with its own key, allowed with the role of an agent. With port 0 the system chooses
    /// the port.
    Process start_device(const QString& program, const QString& name, const QStringList& more, int port = 0) const {
        allow(make_key(name + ".key"), name, "agent");
        return launch(program, place(name),
                      QStringList{"--connect", connection(), "--name", name, "--listen",
                                  place(name).address + QString(":%1").arg(port), "--keys",
                                  programs.folder() + "/" + name + ".key"} +
                          more);
    }

    Programs programs;
    QStringList names{"mic-1/node-1", "mic-2/node-1"};  ///< names of the nodes
    QStringList options;                                ///< additional options of divisid
    /// Location of a process, by the name of divisid, a node or a device.
    struct Place {
        QString address = "127.0.0.1";
        QString space;  ///< network namespace; empty: this one
    };
    std::function<Place(const QString& name)> place = [](const QString&) { return Place(); };
    /// Returns the connection file for the nodes, made from the real file; empty: the nodes use the real file.
    std::function<QString(const QString& connection)> route;
    /// Whether nodes know their folders by paths that other processes resolve elsewhere, as if on separate machines.
    bool apart = false;

private:
    static void end(QProcess& process) {
        process.terminate();
        if (!process.waitForFinished(15'000)) process.kill();
    }
    Process launch(const QString& name, const Place& where, const QStringList& arguments) const {
        Process process(new QProcess, [](QProcess* one) {
            end(*one);
            delete one;
        });
        process->setProcessEnvironment(programs.environment());
        process->setWorkingDirectory(programs.folder());
        if (where.space.isEmpty()) process->start(Programs::program(name), arguments);
        else process->start("ip", QStringList{"netns", "exec", where.space, Programs::program(name)} + arguments);
        return process;
    }
    static bool complain(QProcess& process) {
        qWarning("not up: %s", process.readAllStandardError().constData());
        return false;
    }

    Process orchestrator_{nullptr, [](QProcess*) {}};
    std::vector<Process> nodes_;
};

}  // namespace divisi::tests
