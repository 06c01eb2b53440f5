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

/// Hosts of one's own: a network namespace each, with an address that only the links between them lead to. Links are
/// veth pairs, may be slowed by a token bucket (tbf), and are cut and healed one by one. Needs the right to make
/// namespaces (root, in a container that lets it).
class NetLab {
public:
    enum class Ip { v4, v6 };
    explicit NetLab(Ip ip = Ip::v4) : v6_(ip == Ip::v6) {}
    ~NetLab() {
        for (const QString& host : hosts_.keys()) tool({"ip", "netns", "del", space(host)});
    }

    /// Why this machine does not let us; empty where it does.
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
            // Where the link is down nothing else leads there.
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
    /// IPv6: where one host's packets to another go first, by a host that it is linked with.
    void route(const QString& from, const QString& to, const QString& by) {
        in(from, {"ip", "-6", "route", "replace", address(to), "via", link_local(by), "dev", device(by), "src",
                  address(from)});
    }
    /// What a command printed on a host.
    QString said(const QString& host, const QStringList& command) const {
        QProcess process;
        process.start("ip", QStringList{"netns", "exec", space(host)} + command);
        process.waitForFinished();
        return process.readAllStandardOutput();
    }
    /// What one end may send at most.
    void slow(const QString& from, const QString& to, const QString& rate) {
        in(from, {"tc", "qdisc", "replace", "dev", device(to), "root", "tbf", "rate", rate, "burst", "256kb", "latency",
                  "100ms"});
    }
    /// Bytes that one end has sent over a link.
    qint64 sent(const QString& from, const QString& to) const {
        const QString path = "/sys/class/net/" + device(to) + "/statistics/tx_bytes";
        QProcess process;
        process.start("ip", {"netns", "exec", space(from), "cat", path});
        process.waitForFinished();
        return process.readAllStandardOutput().trimmed().toLongLong();
    }

    QString space(const QString& host) const { return QString("dv%1-%2").arg(::getpid()).arg(host); }
    QString address(const QString& host) const { return hosts_[host]; }
    /// The end of a link, named after the host that it leads to.
    static QString device(const QString& to) { return "to-" + to; }
    void in(const QString& host, const QStringList& command) const {
        tool(QStringList{"ip", "netns", "exec", space(host)} + command);
    }

private:
    /// Addresses of interfaces lo are not asked for on links: IPv6's neighbour discovery knows each link's own.
    QString link_local(const QString& host) const { return QString("fe80::%1").arg(numbers_[host]); }
    static void tool(const QStringList& command) {
        if (const QString why = output(command); !why.isNull())
            qWarning("%s: %s", qPrintable(command.join(' ')), qPrintable(why));
    }
    /// What it complained about; null where it did what it should.
    static QString output(const QStringList& command) {
        QProcess process;
        process.start(command.first(), command.mid(1));
        if (!process.waitForFinished(10'000)) return command.first() + " is not there or hangs";
        return process.exitCode() == 0 ? QString() : QString(process.readAllStandardError().trimmed()) + " ";
    }

    bool v6_;
    QMap<QString, QString> hosts_;  ///< with their addresses
    QMap<QString, int> numbers_;
};

}  // namespace divisi::tests
