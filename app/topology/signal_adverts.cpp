// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/signal_adverts.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "app/model/wording/text.h"

namespace divisi::topology {

namespace {

struct Adverts {
    Q_DECLARE_TR_FUNCTIONS(divisi::topology::Adverts)
};

QString bytes_of(std::uint64_t bytes) { return model::bytes_text(static_cast<Bytes>(bytes)); }
/// Formats a rate. Limits it to `most`, which no link exceeds, because a device may report a wrong rate that does not
/// fit into Bytes.
QString rate_of(double bytes_per_s) {
    constexpr double most = 1e15;
    return model::bytes_text(static_cast<Bytes>(bytes_per_s > 0 ? std::min(bytes_per_s, most) : 0.0));
}
QString percent(double share) { return model::fixed_text(share * 100, 0); }

model::Selected link_between(std::uint32_t a, std::uint32_t b, const DeviceNames& devices, TimePoint at) {
    if (a == b || !devices.knows(a) || !devices.knows(b)) return {};
    return model::Selected::of_link(devices.name(a, at).toStdString(), devices.name(b, at).toStdString());
}

}  // namespace

QString load_text(const mesh::LoadAdvert& said, const DeviceNames& devices, TimePoint at) {
    QStringList failed;
    std::uint64_t queued = 0, credit = 0;
    for (const mesh::LinkLoad& link : said.links) {
        if (!link.usable) failed << devices.name(link.to, at);
        queued += link.queued;
        credit += link.credit;
    }
    const QString text = Adverts::tr("waiting %1, credit %2").arg(bytes_of(queued), bytes_of(credit));
    if (failed.isEmpty()) return text;
    return Adverts::tr("%1; no path to %2").arg(text, failed.join(QStringLiteral(", ")));
}

void add_load(SignalFields& rows, const mesh::LoadAdvert& said, std::uint32_t from, const DeviceNames& devices,
              TimePoint at) {
    rows.emplace_back(Adverts::tr("Version, sequence"),
                      QStringLiteral("%1, %2").arg(said.version).arg(said.sequence & 0xffffffffU));
    for (const mesh::LinkLoad& link : said.links)
        rows.emplace_back(Adverts::tr("Link to %1").arg(devices.name(link.to, at)),
                          !link.usable
                              ? Adverts::tr("failed")
                              : Adverts::tr("waiting %1, credit %2, %3/s, round trip %4, loss %5 %")
                                    .arg(bytes_of(link.queued), bytes_of(link.credit), rate_of(link.bytes_per_s),
                                         model::ms_text(link.round_trip_s * 1e3), percent(link.loss)),
                          link_between(from, link.to, devices, at));
    for (const mesh::PrefixLoad& prefix : said.prefixes) {
        QString text = Adverts::tr("service time %1, load %2 %, waiting %3")
                           .arg(model::ms_text(prefix.service_s * 1e3), percent(prefix.load), bytes_of(prefix.queued));
        if (!prefix.device.empty()) text += Adverts::tr(", on %1").arg(QString::fromStdString(prefix.device));
        if (prefix.flops_per_s > 0)
            text += Adverts::tr(" with %1 GFLOP/s").arg(model::figure_text(prefix.flops_per_s / 1e9, 3));
        rows.emplace_back(QString::fromStdString(prefix.prefix), text);
    }
}

void add_text(SignalFields& rows, const QString& name, const std::string& text) {
    const QStringList lines = QString::fromStdString(text).split(u'\n');
    rows.emplace_back(name, lines.value(0));
    for (const QString& line : lines.mid(1)) rows.emplace_back(line.section(u' ', 0, 0), line.section(u' ', 1));
}

}  // namespace divisi::topology
