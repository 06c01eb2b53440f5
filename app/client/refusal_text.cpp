// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/refusal_text.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/client/error_catalogue.h"
#include "backend/base/text.h"

namespace divisi::client {
namespace {

struct Refusals {
    Q_DECLARE_TR_FUNCTIONS(divisi::client::Refusals)
};

constexpr const char* table_context = "divisi::client::Refusals";

/// An English phrase, and the context of its translation.
struct Phrase {
    const char* context;
    const char* english;

    QString translated() const { return QCoreApplication::translate(context, english); }
    bool is_translated() const { return translated() != QString::fromUtf8(english); }
};

/// A phrase is searched for in texts without an id only if it has at least this many characters outside placeholders.
/// Shorter phrases, such as "the nodes are: %1" or "use %1", would match unrelated sentences. The phrases of
/// refusal_texts() occur only in texts without an id, so they can be shorter.
constexpr qsizetype least_literal = 16, least_literal_of_table = 7;

/// Finds a phrase in a text whose id and arguments are unknown: a log line, an incident, or an old recording.
struct RefusalPattern {
    Phrase phrase;
    std::vector<int> places;                 ///< number of the placeholder for each captured text
    qsizetype literal = 0;                   ///< number of characters outside the placeholders, which measures how
                                             ///< specific the phrase is
    QString longest;                         ///< longest literal piece: if it is missing, the pattern cannot match
    QRegularExpression whole, behind_place;  ///< match the phrase alone, and behind "where: "
    bool numbers = false;                    ///< whether placeholders stand only for numbers

    /// Returns whether the pattern is specific enough to be searched for.
    bool is_specific(qsizetype least) const { return literal >= (places.empty() || numbers ? 1 : least); }
};

RefusalPattern pattern_of(const Phrase& phrase, bool numbers) {
    static const QRegularExpression placeholder(QStringLiteral("%(\\d)"));
    const QString english = QString::fromUtf8(phrase.english);
    const QString place = numbers ? QStringLiteral("(-?[0-9.,]+)") : QStringLiteral("(.+)");
    RefusalPattern made{phrase};
    made.numbers = numbers;
    QString pattern;
    for (qsizetype at = 0; at <= english.size();) {
        const auto next = placeholder.match(english, at);
        const qsizetype end = next.hasMatch() ? next.capturedStart() : english.size();
        const QString piece = english.mid(at, end - at);
        made.literal += piece.size();
        if (piece.size() > made.longest.size()) made.longest = piece;
        pattern += QRegularExpression::escape(piece);
        if (!next.hasMatch()) break;
        made.places.push_back(next.capturedView(1).toInt());
        pattern += place;
        at = next.capturedEnd();
    }
    const auto options = QRegularExpression::DotMatchesEverythingOption;
    made.whole = QRegularExpression(u'^' + pattern + u'$', options);
    made.behind_place = QRegularExpression(QStringLiteral("^(.+?): ") + pattern + u'$', options);
    return made;
}

/// Returns the patterns of all catalogues and of refusal_texts(), the most specific first.
const std::vector<RefusalPattern>& refusal_patterns() {
    static const std::vector<RefusalPattern> patterns = [] {
        std::vector<RefusalPattern> made;
        const auto add = [&](const Phrase& phrase, bool numbers, qsizetype least) {
            RefusalPattern pattern = pattern_of(phrase, numbers);
            if (pattern.is_specific(least)) made.push_back(std::move(pattern));
        };
        for (const std::span<const ErrorText> catalogue : error_catalogues())
            for (const ErrorText& text : catalogue)
                for (const char* english : {text.what, text.next})
                    add({error_context, english}, text.numbers, least_literal);
        for (const RefusalText& text : refusal_texts())
            add({table_context, text.english}, text.numbers, least_literal_of_table);
        std::ranges::stable_sort(made, std::ranges::greater{}, &RefusalPattern::literal);
        return made;
    }();
    return patterns;
}

/// Words that can precede a name, as in "node mic-1/node-1".
constexpr const char* named[] = {QT_TRANSLATE_NOOP("divisi::client::Refusals", "node %1"),
                                 QT_TRANSLATE_NOOP("divisi::client::Refusals", "instance %1"),
                                 QT_TRANSLATE_NOOP("divisi::client::Refusals", "stage %1"),
                                 QT_TRANSLATE_NOOP("divisi::client::Refusals", "segment %1"),
                                 QT_TRANSLATE_NOOP("divisi::client::Refusals", "task %1"),
                                 QT_TRANSLATE_NOOP("divisi::client::Refusals", "cluster %1")};

std::optional<QString> problem_text(const QString& said);

/// Returns the translated phrase with the arguments in place of %1, %2. An argument may itself be translated, such as
/// an error text of the system about a file.
QString filled(const Phrase& phrase, const QStringList& args) {
    const QString text = phrase.translated();
    // Replace all placeholders in one pass: a name may contain "%2".
    QString whole;
    for (qsizetype at = 0; at < text.size(); ++at) {
        const int place = text[at] == u'%' && at + 1 < text.size() ? text[at + 1].digitValue() : -1;
        if (place < 1 || place > args.size()) {
            whole += text[at];
            continue;
        }
        const QString& name = args[place - 1];
        whole += problem_text(name).value_or(place_text(name));
        ++at;
    }
    return whole;
}

/// Returns the translation of the text that a pattern matched. The first `skipped` captured texts do not belong to
/// placeholders.
QString filled(const RefusalPattern& pattern, const QRegularExpressionMatch& match, int skipped) {
    QStringList args;
    for (std::size_t i = 0; i < pattern.places.size(); ++i) {
        while (args.size() < pattern.places[i]) args.append(QString());
        args[pattern.places[i] - 1] = match.captured(1 + skipped + static_cast<int>(i));
    }
    return filled(pattern.phrase, args);
}

/// Returns the translated problem and its location; empty if no phrase matches. If several phrases match after a
/// location, the phrase with the shortest location is used: "/a: cannot write: the disk is full" contains more
/// information than "the disk is full" alone.
std::optional<QString> problem_text(const QString& said) {
    const RefusalPattern* fitting = nullptr;
    QRegularExpressionMatch captured;
    for (const RefusalPattern& pattern : refusal_patterns()) {
        if (!said.contains(pattern.longest) || !pattern.phrase.is_translated()) continue;
        if (const auto match = pattern.whole.match(said); match.hasMatch()) return filled(pattern, match, 0);
        const auto match = pattern.behind_place.match(said);
        if (!match.hasMatch() || (fitting && match.capturedLength(1) >= captured.capturedLength(1))) continue;
        fitting = &pattern;
        captured = match;
    }
    if (!fitting) return std::nullopt;
    return Refusals::tr("%1: %2", "where it is, and what is wrong there")
        .arg(place_text(captured.captured(1)), filled(*fitting, captured, 1));
}

QString quotation(const QString& said) {
    return Refusals::tr("%1", "a sentence in English, said by the cluster: frame it as a quotation").arg(said);
}

/// Returns the translated next step; empty if no phrase fits.
std::optional<QString> known_next(const QString& said) {
    for (const RefusalPattern& pattern : refusal_patterns()) {
        if (!said.contains(pattern.longest) || !pattern.phrase.is_translated()) continue;
        if (const auto match = pattern.whole.match(said); match.hasMatch()) return filled(pattern, match, 0);
    }
    return std::nullopt;
}

/// Returns the translated next step, or a quotation if no phrase fits.
QString next_text(const QString& said) { return known_next(said).value_or(quotation(said)); }

/// Returns the translation of a text that is a whole phrase without arguments; empty for any other text.
std::optional<QString> whole_phrase(const QString& said) {
    for (const RefusalPattern& pattern : refusal_patterns())
        if (pattern.places.empty() && pattern.longest == said && pattern.phrase.is_translated())
            return pattern.phrase.translated();
    return std::nullopt;
}

QString with_next(const QString& problem, const QString& next) {
    return Refusals::tr("%1; %2", "what is wrong, and what to do next").arg(problem, next);
}

QString shown(const std::string& text) { return QString::fromStdString(legible(text)); }

/// Returns whether a text of a catalogue consists of a single argument, such as a suggestion. Such a text has no
/// translation.
bool is_only_an_argument(std::string_view text) { return text.size() == 2 && text[0] == '%'; }

/// Returns the translation of one part of an error, found by the error's id. A subject that about() has put before the
/// problem is kept. Returns empty if the catalogues do not contain the id. Also returns empty if `said` differs from
/// the catalogue's text by more than the subject, because another process extended the text or another version wrote
/// it.
std::optional<QString> part_by_id(const Error& error, const char* ErrorText::*part, const std::string& said) {
    const ErrorText* text = error.id.empty() ? nullptr : find_error(error.id);
    if (!text || is_only_an_argument(text->*part)) return std::nullopt;
    const std::string plain = fill(text->*part, error.args);
    if (plain.empty() || !said.ends_with(plain)) return std::nullopt;
    const std::string subject = said.substr(0, said.size() - plain.size());
    const bool may_have_subject = part == &ErrorText::what;
    if (!subject.empty() && !(may_have_subject && subject.ends_with(' '))) return std::nullopt;
    const Phrase phrase{error_context, text->*part};
    if (!phrase.is_translated()) return std::nullopt;
    QStringList args;
    for (const std::string& arg : error.args) args.append(shown(arg));
    return shown(subject) + filled(phrase, args);
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
    if (const auto whole = whole_phrase(said)) return *whole;
    // Try each semicolon, because the problem may also contain one, and a placeholder at the problem's end matches any
    // text. The parts are separated at the first semicolon with a known phrase on both sides.
    std::optional<QString> half;  // result if only the problem has a known phrase
    for (qsizetype at = said.indexOf(u"; "); at >= 0; at = said.indexOf(u"; ", at + 1)) {
        const auto problem = problem_text(said.left(at));
        if (!problem) continue;
        if (const auto next = known_next(said.mid(at + 2))) return with_next(*problem, *next);
        if (!half) half = with_next(*problem, quotation(said.mid(at + 2)));
    }
    if (half) return *half;
    return problem_text(said).value_or(quotation(said));
}

QString quoted(const Error& error) {
    const std::optional<QString> problem = part_by_id(error, &ErrorText::what, error.what);
    if (!problem) return quoted(error.message());
    QString text = *problem;
    if (!error.where.empty())
        text = Refusals::tr("%1: %2", "where it is, and what is wrong there").arg(place_text(shown(error.where)), text);
    if (error.next.empty()) return text;
    const std::optional<QString> next = part_by_id(error, &ErrorText::next, error.next);
    return with_next(text, next ? *next : next_text(shown(error.next)));
}

QString quoted_problem(const Error& error) {
    return part_by_id(error, &ErrorText::what, error.what).value_or(quoted(error.what));
}

QString quoted_next(const Error& error) {
    return part_by_id(error, &ErrorText::next, error.next).value_or(quoted(error.next));
}

}  // namespace divisi::client
