// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/desktop/help_pages.h"

#include <QFile>
#include <QRegularExpression>
#include <map>

namespace divisi::shell {

namespace {

/// Returns the page for each class of view. A view that is not listed has the page of its parent.
const std::map<QString, QString>& pages_of_views() {
    static const std::map<QString, QString> pages = [] {
        const std::pair<const char*, const char*> rows[] = {
            {"shell::WelcomePage", "start"},
            {"panels::TaskForm", "run"},
            {"graphview::GraphView", "split"},
            {"graphview::Minimap", "split"},
            {"graphview::SearchBar", "split"},
            {"graphview::PaintBar", "split"},
            {"panels::Inspector", "split"},
            {"panels::SplitPanel", "prices"},
            {"panels::PlansPanel", "prices"},
            {"graphview::LandscapeStrip", "prices"},
            {"graphview::RecutBar", "recut"},
            {"graphview::UnitView", "run"},
            {"panels::TasksPanel", "run"},
            {"charts::TelemetryView", "run"},
            {"panels::LogsPanel", "run"},
            {"topology::TopologyView", "machines"},
            {"topology::ServicesView", "machines"},
            {"topology::TopologyPage", "mesh"},
            {"topology::SignalingView", "mesh"},
            {"panels::PoliciesView", "mesh"},
            {"panels::ModulesView", "mesh"},
            {"shell::GraphPage", "split"},
            {"graphview::OperatorTimeline", "split"},
            {"timeline::TimelineView", "run"},
            {"shell::TransportBar", "run"},
            {"shell::TimeCursorButton", "run"},
            {"shell::MomentBar", "run"},
            {"shell::AlertButton", "faults"},
            {"panels::ExceptionsView", "faults"},
            {"panels::AlertsView", "faults"},
            {"panels::StoresView", "faults"},
            {"panels::VersionsView", "models"},
            {"panels::RecoveriesView", "faults"},
            {"panels::LedgerView", "receipts"},
            {"shell::KeyList", "keys"},
            {"shell::CommandPalette", "keys"},
            {"shell::SettingsDialog", "keys"},
        };
        std::map<QString, QString> made;
        for (const auto& [view, page] : rows)
            made[QStringLiteral("divisi::") + QLatin1String(view)] = QLatin1String(page);
        return made;
    }();
    return pages;
}

QString folder_of(const QString& language) {
    return language == QStringLiteral("en") ? QStringLiteral(":/user/") : QStringLiteral(":/user/%1/").arg(language);
}

/// Returns the text of a page; empty if there is no such page.
QString read_page(const QString& folder, const QString& name) {
    QFile file(folder + name + QStringLiteral(".md"));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Removes references to pictures that this program does not contain, because it was built without them.
QString without_absent_pictures(QString text) {
    static const QRegularExpression picture(QStringLiteral("^!\\[[^\\]]*\\]\\(([^)]+)\\)\\n?"),
                                            QRegularExpression::MultilineOption);
    qsizetype from = 0;
    for (QRegularExpressionMatch match; (match = picture.match(text, from)).hasMatch();) {
        const bool there = QFile::exists(QStringLiteral(":/user/") + match.captured(1));
        from = there ? match.capturedEnd() : match.capturedStart();
        if (!there) text.remove(match.capturedStart(), match.capturedLength());
    }
    return text;
}

}  // namespace

const QStringList& help_page_names() {
    static const QStringList names{
        QStringLiteral("start"),   QStringLiteral("split"),    QStringLiteral("prices"),     QStringLiteral("run"),
        QStringLiteral("recut"),   QStringLiteral("faults"),   QStringLiteral("machines"),   QStringLiteral("mesh"),
        QStringLiteral("models"),  QStringLiteral("keys"),     QStringLiteral("workspaces"), QStringLiteral("terminal"),
        QStringLiteral("cluster"), QStringLiteral("receipts"), QStringLiteral("libtorch")};
    return names;
}

std::vector<HelpPage> help_pages(const QString& language) {
    std::vector<HelpPage> pages;
    for (const QString& name : help_page_names()) {
        QString text = read_page(folder_of(language), name);
        if (text.isEmpty()) text = read_page(folder_of(QStringLiteral("en")), name);
        const QString heading = text.section(u'\n', 0, 0);
        pages.push_back({name, heading.startsWith(QStringLiteral("# ")) ? heading.mid(2) : name,
                         without_absent_pictures(std::move(text))});
    }
    return pages;
}

QString page_of(const QWidget* focus) {
    for (const QWidget* widget = focus; widget; widget = widget->parentWidget()) {
        const auto found = pages_of_views().find(QString::fromLatin1(widget->metaObject()->className()));
        if (found != pages_of_views().end()) return found->second;
    }
    return help_page_names().front();
}

}  // namespace divisi::shell
