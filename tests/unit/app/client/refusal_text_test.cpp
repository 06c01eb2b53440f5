// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/refusal_text.h"

#include <QCoreApplication>
#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QTranslator>

#include "app/client/error_catalogue.h"
#include "tests/support/test_program.h"

namespace refusal_text_test {

using namespace divisi;

namespace {

/// A test language that translates a single sentence.
class Frame : public QTranslator {
public:
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* comment, int) const override {
        const bool asked = QByteArray(context) == "divisi::client::Refusals" && QByteArray(source) == "%1" && comment;
        return asked ? QStringLiteral("<< %1 >>") : QString();
    }
};

/// A test language that puts every part in brackets.
class Brackets : public QTranslator {
public:
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* comment, int) const override {
        if (QByteArray(context) != "divisi::client::Refusals" && QByteArray(context) != "errors") return {};
        if (QByteArray(source) == "%1") return QStringLiteral("<< %1 >>");
        return comment ? QString::fromUtf8(source) : u'[' + QString::fromUtf8(source) + u']';
    }
};

QString in_brackets(const Error& error) {
    Brackets brackets;
    QCoreApplication::installTranslator(&brackets);
    const QString said = client::quoted(error);
    QCoreApplication::removeTranslator(&brackets);
    return said;
}

/// Returns the string literals of a source file, with adjacent ones joined.
QString source_texts(const char* path) {
    QFile file(QStringLiteral(DIVISI_SOURCE_DIR "/") + QString::fromLatin1(path));
    if (!file.open(QIODevice::ReadOnly)) qFatal("no source %s", path);
    QString text = QString::fromUtf8(file.readAll());
    text.replace(QRegularExpression(QStringLiteral("\"\\s*\n\\s*\"")), QString());
    return text.replace(QStringLiteral("\\\""), QStringLiteral("\""));
}

/// Returns whether a source contains a text whole, or joins it from two texts ("use " and "a number above 0").
bool is_said(const QString& piece, const QString& source) {
    if (piece.trimmed().isEmpty() || source.contains(piece)) return true;
    const auto whole = [&](const QString& text) { return source.contains(u'"' + text + u'"'); };
    for (qsizetype at = 1; at < piece.size(); ++at)
        if (whole(piece.left(at)) && whole(piece.mid(at))) return true;
    return false;
}

}  // namespace

class RefusalTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void unknown_message_is_quoted_in_another_language() {
        const Error error{ErrorCode::conflict, "it is the only node", "node a", "start another"};
        const QString said = QString::fromStdString(error.message());
        QCOMPARE(client::quoted(error), said);
        Frame frame;
        QCoreApplication::installTranslator(&frame);
        QCOMPARE(client::quoted(error), QStringLiteral("<< %1 >>").arg(said));
        QCoreApplication::removeTranslator(&frame);
    }

    void known_message_is_translated_around_names_and_numbers() {
        QCOMPARE(in_brackets({ErrorCode::conflict, "it is the only node that takes instances", "node mic-1/node-1",
                              "start another node first, or end the cluster with 'divisictl cluster down'"}),
                 QStringLiteral("[node mic-1/node-1]: [it is the only node that takes instances]; "
                                "[start another node first, or end the cluster with 'divisictl cluster down']"));
        QCOMPARE(in_brackets({ErrorCode::not_found, "the task has no checkpoint yet", "gpt-1",
                              "order a checkpoint with 'divisictl checkpoint gpt-1'"}),
                 QStringLiteral("gpt-1: [the task has no checkpoint yet]; "
                                "[order a checkpoint with 'divisictl checkpoint gpt-1']"));
        QCOMPARE(in_brackets({ErrorCode::denied, "the role observe is not allowed to operate", "fault_link",
                              "ask an admin of the cluster for another role"}),
                 QStringLiteral("fault_link: [the role observe is not allowed to operate]; "
                                "[ask an admin of the cluster for another role]"));
    }

    void message_part_ends_correctly_despite_semicolons_and_names() {
        QCOMPARE(in_brackets({ErrorCode::conflict, "the task does not train now; its phase is waiting", "gpt-1",
                              "ask again when it trains"}),
                 QStringLiteral("gpt-1: [the task does not train now; its phase is waiting]; [ask again when it "
                                "trains]"));
        QCOMPARE(in_brackets({ErrorCode::conflict, "the new plan 00ff is already in force", "gpt-1", ""}),
                 QStringLiteral("gpt-1: [the new plan 00ff is already in force]"));
        QCOMPARE(in_brackets({ErrorCode::not_found, "no node of the cluster is called '%2'", "[place] data", ""}),
                 QStringLiteral("[place] data: [no node of the cluster is called '%2']"));
    }

    /// The catalogues have "ask again when it is back", and a longer text that begins with it.
    void message_with_a_semicolon_is_not_split() {
        const Error absent{ErrorCode::unavailable,
                           "ask again when it is back; 'divisictl logs' shows what happened to it"};
        QCOMPARE(in_brackets(absent), QStringLiteral("[ask again when it is back; 'divisictl logs' shows what happened "
                                                     "to it]"));
    }

    void template_of_few_fixed_words_matches_no_message() {
        QCOMPARE(in_brackets({ErrorCode::failed, "somebody asked about nothing", "", ""}),
                 QStringLiteral("<< somebody asked about nothing >>"));
        QCOMPARE(in_brackets({ErrorCode::failed, "there are moons that no planet needs", "", ""}),
                 QStringLiteral("<< there are moons that no planet needs >>"));
    }

    void unknown_part_of_a_message_is_quoted() {
        QCOMPARE(in_brackets({ErrorCode::failed, "nobody has seen this", "x", "wait"}),
                 QStringLiteral("<< x: nobody has seen this; wait >>"));
        QCOMPARE(in_brackets({ErrorCode::not_found, "there is no such link", "a - b", "c has none"}),
                 QStringLiteral("a - b: [there is no such link]; << c has none >>"));
    }

    /// Errors of the form and of file parsing do not come from a cluster, but they are translated too.
    void messages_of_the_program_itself_are_translated() {
        QCOMPARE(in_brackets({ErrorCode::invalid_input, "= 0 is out of range", "", "use 1 to 1048576"}),
                 QStringLiteral("[= 0 is out of range]; [use 1 to 1048576]"));
        QCOMPARE(in_brackets({ErrorCode::invalid_input, "= '1f1b2' is not known", "", "did you mean '1f1b'?"}),
                 QStringLiteral("[= '1f1b2' is not known]; [did you mean '1f1b'?]"));
        QCOMPARE(in_brackets({ErrorCode::invalid_input, "is not an ONNX model", "broken.onnx", ""}),
                 QStringLiteral("broken.onnx: [is not an ONNX model]"));
    }

    void inner_cause_is_translated_too() {
        QCOMPARE(in_brackets({ErrorCode::failed, "cannot be opened: No such file or directory", "/a.onnx", ""}),
                 QStringLiteral("/a.onnx: [cannot be opened: [No such file or directory]]"));
        QCOMPARE(in_brackets({ErrorCode::failed, "cannot write the recording: the disk is full", "/a", ""}),
                 QStringLiteral("/a: [cannot [write the recording]: [the disk is full]]"));
    }

    /// "use 1 to 8" matches; other words between "use" and "to" belong to a different sentence.
    void placeholder_for_numbers_matches_no_words() {
        QCOMPARE(in_brackets({ErrorCode::failed, "is missing", "", "use less memory to begin with"}),
                 QStringLiteral("[is missing]; << use less memory to begin with >>"));
    }

    /// If a source changed one of these texts, the text's translation would never match again.
    void every_text_of_the_table_is_in_its_source() {
        QHash<QString, QString> sources;
        for (const client::RefusalText& text : client::refusal_texts()) {
            if (!text.source) continue;  // a text of the operating system
            QString& source = sources[QString::fromLatin1(text.source)];
            if (source.isEmpty()) source = source_texts(text.source);
            for (const QString& piece :
                 QString::fromUtf8(text.english).split(QRegularExpression(QStringLiteral("%\\d"))))
                QVERIFY2(is_said(piece, source), text.english);
        }
    }
};

DIVISI_TEST(RefusalTextTest)

}  // namespace refusal_text_test

#include "refusal_text_test.moc"
