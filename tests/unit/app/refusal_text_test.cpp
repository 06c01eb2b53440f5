// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/refusal_text.h"

#include <QCoreApplication>
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <QTranslator>

#include "app/client/refusal_table.h"

using namespace divisi;

namespace {

/// A language of one sentence.
class Frame : public QTranslator {
public:
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* comment, int) const override {
        const bool asked = QByteArray(context) == "divisi::client::Refusals" && QByteArray(source) == "%1" && comment;
        return asked ? QStringLiteral("<< %1 >>") : QString();
    }
};

/// A language that writes every part in brackets.
class Brackets : public QTranslator {
public:
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* comment, int) const override {
        if (QByteArray(context) != "divisi::client::Refusals") return {};
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

/// The texts of a source, those that go on in the next line as one.
QString source_texts(const char* path) {
    QFile file(QStringLiteral(DIVISI_SOURCE_DIR "/") + QString::fromLatin1(path));
    if (!file.open(QIODevice::ReadOnly)) qFatal("no source %s", path);
    QString text = QString::fromUtf8(file.readAll());
    text.replace(QRegularExpression(QStringLiteral("\"\\s*\n\\s*\"")), QString());
    return text.replace(QStringLiteral("\\\""), QStringLiteral("\""));
}

}  // namespace

class RefusalTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void what_the_cluster_says_is_a_quotation_in_another_language() {
        const Error error{ErrorCode::conflict, "it is the only node", "node a", "start another"};
        const QString said = QString::fromStdString(error.message());
        QCOMPARE(client::quoted(error), said);
        Frame frame;
        QCoreApplication::installTranslator(&frame);
        QCOMPARE(client::quoted(error), QStringLiteral("<< %1 >>").arg(said));
        QCoreApplication::removeTranslator(&frame);
    }

    void what_the_table_has_is_translated_around_names_and_numbers() {
        QCOMPARE(in_brackets({ErrorCode::conflict, "it is the only node that takes instances", "node mic-1/node-1",
                              "start another node first, or end the cluster with 'divisictl cluster down'"}),
                 QStringLiteral("node mic-1/node-1: [it is the only node that takes instances]; "
                                "[start another node first, or end the cluster with 'divisictl cluster down']"));
        QCOMPARE(in_brackets({ErrorCode::not_found, "the task has no checkpoint yet", "gpt-1",
                              "order one with 'divisictl checkpoint gpt-1'"}),
                 QStringLiteral("gpt-1: [the task has no checkpoint yet]; "
                                "[order one with 'divisictl checkpoint gpt-1']"));
        QCOMPARE(in_brackets({ErrorCode::denied, "the role observe may not operate", "fault_link",
                              "ask an admin of the cluster for another role"}),
                 QStringLiteral("fault_link: [the role observe may not operate]; "
                                "[ask an admin of the cluster for another role]"));
    }

    void a_semicolon_in_it_and_a_name_at_its_end_do_not_take_what_follows() {
        QCOMPARE(in_brackets({ErrorCode::conflict, "the task does not train now; it is in its phase waiting", "gpt-1",
                              "ask when it trains"}),
                 QStringLiteral("gpt-1: [the task does not train now; it is in its phase waiting]; [ask when it "
                                "trains]"));
        QCOMPARE(in_brackets({ErrorCode::conflict, "the new plan is the one in force, 00ff", "gpt-1", ""}),
                 QStringLiteral("gpt-1: [the new plan is the one in force, 00ff]"));
        QCOMPARE(in_brackets({ErrorCode::not_found, "no node of the cluster is called '%2'", "[place] data", ""}),
                 QStringLiteral("[place] data: [no node of the cluster is called '%2']"));
    }

    void what_it_lacks_stays_a_quotation() {
        QCOMPARE(in_brackets({ErrorCode::failed, "nobody has seen this", "x", "wait"}),
                 QStringLiteral("<< x: nobody has seen this; wait >>"));
        QCOMPARE(in_brackets({ErrorCode::not_found, "there is no such link", "a - b", "c has none"}),
                 QStringLiteral("a - b: [there is no such link]; << c has none >>"));
    }

    /// A text that its source says otherwise now would never be met again.
    void every_text_of_the_table_is_said_by_its_source() {
        for (const client::RefusalText& text : client::refusal_texts()) {
            const QString source = source_texts(text.source);
            for (const QString& piece :
                 QString::fromUtf8(text.english).split(QRegularExpression(QStringLiteral("%\\d"))))
                QVERIFY2(piece.trimmed().isEmpty() || source.contains(piece), text.english);
        }
    }
};

QTEST_GUILESS_MAIN(RefusalTextTest)
#include "refusal_text_test.moc"
