// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <QDir>
#include <QMap>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <utility>

namespace divisi::tests {

/// Simulated hosts: one network namespace each, with an address reachable only over the links between them. Links are
/// veth pairs. They may be slowed by a token bucket (tbf), and are cut and healed one by one. Needs the right to create
/// namespaces (root, or a container that allows it).
class NetLab {
public:
    enum class Ip { v4, v6 };
    explicit NetLab(Ip ip = Ip::v4) : v6_(ip == Ip::v6) {}
    ~NetLab() {
        for (const QString& host : hosts_.keys()) tool({"ip", "netns", "del", space(host)});
    }

    /// Returns why this machine cannot create namespaces; empty if it can.
    static QString missing() {
        const QString probe = QString("dvprobe%1").arg(::getpid());
        if (const QString why = output({"ip", "netns", "add", probe}); !why.isNull())
            return "network namespaces cannot be made here: " + why;
        const QString slow = output({"ip", "netns", "exec", probe, "tc", "qdisc", "add", "dev", "lo", "root", "tbf",
                                     "rate", "1mbit", "burst", "16kb", "latency", "50ms"});
        output({"ip", "netns", "del", probe});
        return slow.isNull() ? QString() : "links cannot be slowed here (tc, tbf): " + slow;
    }

    void add_host(const QString& host) {
        numbers_[host] = static_cast<int>(hosts_.size()) + 1;
        hosts_[host] = QString(v6_ ? "fd77::%1" : "10.77.0.%1").arg(numbers_[host]);
        tool({"ip", "netns", "add", space(host)});
        in(host, {"ip", "link", "set", "lo", "up"});
        in(host, {"ip", "address", "add", address(host) + (v6_ ? "/128" : "/32"), "dev", "lo"});
    }
    void link(const QString& a, const QString& b) {
        tool({"ip", "link", "add", device(b), "netns", space(a), "type", "veth", "peer", "name", device(a), "netns",
              space(b)});
        for (const auto& [here, there] : {std::pair(a, b), std::pair(b, a)}) {
            // If the link is down, no other route leads to the host.
            if (!v6_) in(here, {"ip", "route", "add", "blackhole", address(there), "metric", "1000"});
        }
        heal(a, b);
    }
    void cut(const QString& a, const QString& b) {
        in(a, {"ip", "link", "set", device(b), "down"});
        in(b, {"ip", "link", "set", device(a), "down"});
    }
    void heal(const QString& a, const QString& b) {
        for (const auto& [here, there] : {std::pair(a, b), std::pair(b, a)}) {
            in(here, {"ip", "link", "set", device(there), "up"});
            if (v6_) in(here, {"ip", "address", "replace", link_local(here) + "/64", "dev", device(there), "nodad"});
        }
        for (const auto& [here, there] : {std::pair(a, b), std::pair(b, a)}) {
            if (v6_) route(here, there, there);
            else in(here, {"ip", "route", "replace", address(there), "dev", device(there), "src", address(here)});
        }
    }
    /// Sets the first hop of IPv6 packets from one host to another; `by` must have a link to `from`.
    void route(const QString& from, const QString& to, const QString& by) {
        in(from, {"ip", "-6", "route", "replace", address(to), "via", link_local(by), "dev", device(by), "src",
                  address(from)});
    }
    /// Returns the output of a command run on a host.
    QString said(const QString& host, const QStringList& command) const {
        QProcess process;
        process.start("ip", QStringList{"netns", "exec", space(host)} + command);
        process.waitForFinished();
        return process.readAllStandardOutput();
    }
    /// Limits the send rate of one end of a link.
    void slow(const QString& from, const QString& to, const QString& rate) {
        in(from, {"tc", "qdisc", "replace", "dev", device(to), "root", "tbf", "rate", rate, "burst", "256kb", "latency",
                  "100ms"});
    }
    /// Returns the bytes that one end has sent over a link.
    qint64 sent(const QString& from, const QString& to) const {
        const QString path = "/sys/class/net/" + device(to) + "/statistics/tx_bytes";
        QProcess process;
        process.start("ip", {"netns", "exec", space(from), "cat", path});
        process.waitForFinished();
        return process.readAllStandardOutput().trimmed().toLongLong();
    }

    QString space(const QString& host) const { return QString("dv%1-%2").arg(::getpid()).arg(host); }
    QString address(const QString& host) const { return hosts_[host]; }
    /// Returns the device of a link end, named after the host at the other end.
    static QString device(const QString& to) { return "to-" + to; }
    void in(const QString& host, const QStringList& command) const {
        tool(QStringList{"ip", "netns", "exec", space(host)} + command);
    }

private:
    /// IPv6's neighbour discovery on a link knows only the link's own addresses, not the addresses of lo.
    QString link_local(const QString& host) const { return QString("fe80::%1").arg(numbers_[host]); }
    static void tool(const QStringList& command) {
        if (const QString why = output(command); !why.isNull())
            qWarning("%s: %s", qPrintable(command.join(' ')), qPrintable(why));
    }
    /// Runs a command and returns its error output; null if it succeeded.
    static QString output(const QStringList& command) {
        QProcess process;
        process.start(command.first(), command.mid(1));
        if (!process.waitForFinished(10'000)) return command.first() + " is not there or hangs";
        return process.exitCode() == 0 ? QString() : QString(process.readAllStandardError().trimmed()) + " ";
    }

    bool v6_;
    QMap<QString, QString> hosts_;  ///< hosts and their addresses
    QMap<QString, int> numbers_;
};

}  // namespace divisi::tests
