// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/refusal_text.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <optional>
#include <utility>
#include <vector>

#include "app/client/refusal_table.h"

namespace divisi::client {

namespace {

struct Refusals {
    Q_DECLARE_TR_FUNCTIONS(divisi::client::Refusals)
};

struct RefusalPattern {
    const char* english;
    QString longest;                         ///< longest literal piece: if it is missing, the pattern cannot match
    QRegularExpression whole, behind_place;  ///< alone, and behind "where: "
};

QString longest_piece(const char* english) {
    QString longest;
    for (const QString& piece : QString::fromUtf8(english).split(QRegularExpression(QStringLiteral("%\\d"))))
        if (piece.size() > longest.size()) longest = piece;
    return longest;
}

const std::vector<RefusalPattern>& refusal_patterns() {
    static const std::vector<RefusalPattern> patterns = [] {
        std::vector<RefusalPattern> made;
        for (const RefusalText& text : refusal_texts()) {
            QString pattern = QRegularExpression::escape(QString::fromUtf8(text.english));
            const QString place = text.numbers ? QStringLiteral("(-?[0-9.,]+)") : QStringLiteral("(.+)");
            pattern.replace(QRegularExpression(QStringLiteral("\\\\%\\d")), place);
            const auto options = QRegularExpression::DotMatchesEverythingOption;
            made.push_back({text.english, longest_piece(text.english),
                            QRegularExpression(u'^' + pattern + u'$', options),
                            QRegularExpression(QStringLiteral("^(.+?): ") + pattern + u'$', options)});
        }
        return made;
    }();
    return patterns;
}

/// Words that may precede a name.
constexpr const char* named[] = {QT_TRANSLATE_NOOP("divisi::client::Refusals", "node %1"),
                                 QT_TRANSLATE_NOOP("divisi::client::Refusals", "instance %1"),
                                 QT_TRANSLATE_NOOP("divisi::client::Refusals", "stage %1"),
                                 QT_TRANSLATE_NOOP("divisi::client::Refusals", "task %1"),
                                 QT_TRANSLATE_NOOP("divisi::client::Refusals", "cluster %1")};

std::optional<QString> problem_text(const QString& said);

/// Returns the translated phrase with the captured texts in place of %1, %2. The first `skipped` captured texts replace
/// no placeholder. A captured text may itself be translated, such as what the system says about a file.
QString filled(const char* english, const QStringList& captured, qsizetype skipped) {
    const QString text = Refusals::tr(english);
    // Replace all placeholders in one pass: a name may contain "%2".
    QString whole;
    for (qsizetype at = 0; at < text.size(); ++at) {
        const int place = text[at] == u'%' && at + 1 < text.size() ? text[at + 1].digitValue() : -1;
        if (place < 1 || skipped + place >= captured.size()) {
            whole += text[at];
            continue;
        }
        const QString& name = captured[skipped + place];
        whole += problem_text(name).value_or(place_text(name));
        ++at;
    }
    return whole;
}

bool is_translated(const char* english) { return Refusals::tr(english) != QString::fromUtf8(english); }

/// Returns the translated problem and its location; empty if the table lacks it. If several phrases match after a
/// location, the one with the shortest location wins: "/a: cannot write: the disk is full" says more than the part
/// about the disk.
std::optional<QString> problem_text(const QString& said) {
    const char* fitting = nullptr;
    QStringList captured;
    for (const auto& [english, longest, whole, behind_place] : refusal_patterns()) {
        if (!said.contains(longest) || !is_translated(english)) continue;
        if (const auto match = whole.match(said); match.hasMatch()) return filled(english, match.capturedTexts(), 0);
        const auto match = behind_place.match(said);
        if (!match.hasMatch() || (fitting && match.captured(1).size() >= captured[1].size())) continue;
        fitting = english;
        captured = match.capturedTexts();
    }
    if (!fitting) return std::nullopt;
    return Refusals::tr("%1: %2", "where it is, and what is wrong there")
        .arg(place_text(captured[1]), filled(fitting, captured, 1));
}

QString quotation(const QString& said) {
    return Refusals::tr("%1", "a sentence in English, said by the cluster: frame it as a quotation").arg(said);
}

/// Returns the translated next step, or a quotation if the table lacks it.
QString next_text(const QString& said) {
    for (const auto& [english, longest, whole, behind_place] : refusal_patterns()) {
        if (!said.contains(longest) || !is_translated(english)) continue;
        if (const auto match = whole.match(said); match.hasMatch()) return filled(english, match.capturedTexts(), 0);
    }
    return quotation(said);
}

}  // namespace

QString place_text(const QString& said) {
    const qsizetype space = said.indexOf(u' ');
    if (space < 0 || said.indexOf(u' ', space + 1) >= 0) return said;
    for (const char* english : named)
        if (said.left(space + 1) + QStringLiteral("%1") == QLatin1String(english))
            return Refusals::tr(english).arg(said.mid(space + 1));
    return said;
}

QString quoted(const std::string& text) {
    const QString said = QString::fromStdString(text);
    if (said.isEmpty()) return said;
    // Try each semicolon: the problem may contain one, and a name at its end would match all that follows.
    for (qsizetype at = said.indexOf(u"; "); at >= 0; at = said.indexOf(u"; ", at + 1))
        if (const auto problem = problem_text(said.left(at)))
            return Refusals::tr("%1; %2", "what is wrong, and what to do next")
                .arg(*problem, next_text(said.mid(at + 2)));
    return problem_text(said).value_or(quotation(said));
}

QString quoted(const Error& error) { return quoted(error.message()); }

}  // namespace divisi::client
