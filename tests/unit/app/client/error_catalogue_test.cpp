// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/error_catalogue.h"

#include <QCoreApplication>
#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QSet>
#include <QTranslator>
#include <QXmlStreamReader>

#include "app/client/refusal_text.h"
#include "tests/support/test_program.h"

namespace error_catalogue_test {

using namespace divisi;

namespace {

/// A test language that reverses the order of two arguments, and puts the other texts of the catalogues in brackets.
class Reversed : public QTranslator {
public:
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* comment, int) const override {
        const QString english = QString::fromUtf8(source);
        if (QByteArray(context) == client::error_context) {
            if (english == QStringLiteral("the task has checkpoints after the steps %2"))
                return QStringLiteral("[%2, not %1]");
            return u'[' + english + u']';
        }
        if (QByteArray(context) != "divisi::client::Refusals" || !comment) return {};
        return english == QStringLiteral("%1") ? QStringLiteral("<< %1 >>") : QString();
    }
};

QString reversed(const Error& error) {
    Reversed language;
    QCoreApplication::installTranslator(&language);
    const QString said = client::quoted(error);
    QCoreApplication::removeTranslator(&language);
    return said;
}

/// Returns the finished Chinese translations of the catalogues.
QHash<QString, QString> chinese_texts() {
    QFile file(QStringLiteral(DIVISI_SOURCE_DIR "/translations/divisi_zh_CN.ts"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("no translations");
    QHash<QString, QString> texts;
    QString context, source;
    QXmlStreamReader xml(&file);
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement) continue;
        if (xml.name() == QLatin1String("name")) context = xml.readElementText();
        else if (xml.name() == QLatin1String("source")) source = xml.readElementText();
        else if (xml.name() == QLatin1String("translation") && context == QLatin1String(client::error_context)) {
            const bool finished = !xml.attributes().hasAttribute(QStringLiteral("type"));
            const QString text = xml.readElementText(QXmlStreamReader::IncludeChildElements);
            if (finished) texts.insert(source, text);
        }
    }
    return texts;
}

QSet<QString> placeholders(const QString& text) {
    QSet<QString> found;
    static const QRegularExpression placeholder(QStringLiteral("%\\d"));
    for (auto all = placeholder.globalMatch(text); all.hasNext();) found.insert(all.next().captured());
    return found;
}

/// Returns whether a text of a catalogue is one argument, which has its own translation.
bool is_only_an_argument(const QString& text) {
    static const QRegularExpression one(QStringLiteral("^%\\d$"));
    return one.match(text).hasMatch();
}

Error checkpoint_error() {
    return make_error(*client::find_error("no-checkpoint-after-step"), "task gpt-1", {"7", "2, 4"});
}

}  // namespace

class ErrorCatalogueTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ids_are_unique_words_joined_by_hyphens() {
        static const QRegularExpression kebab(QStringLiteral("^[a-z0-9]+(-[a-z0-9]+)*$"));
        QSet<QString> ids;
        for (const std::span<const ErrorText> catalogue : client::error_catalogues())
            for (const ErrorText& text : catalogue) {
                const QString id = QString::fromUtf8(text.id);
                QVERIFY2(kebab.match(id).hasMatch(), text.id);
                QVERIFY2(!ids.contains(id), text.id);
                QCOMPARE(client::find_error(text.id), &text);
                ids.insert(id);
            }
        QVERIFY(!ids.isEmpty());
        QVERIFY(!client::find_error("never-heard-of"));
    }

    void every_text_has_a_chinese_translation_with_its_placeholders() {
        const QHash<QString, QString> chinese = chinese_texts();
        for (const std::span<const ErrorText> catalogue : client::error_catalogues())
            for (const ErrorText& text : catalogue)
                for (const char* part : {text.what, text.next}) {
                    const QString english = QString::fromUtf8(part);
                    if (english.isEmpty() || is_only_an_argument(english)) continue;
                    QVERIFY2(chinese.contains(english), part);
                    QVERIFY2(placeholders(chinese[english]) == placeholders(english), part);
                }
    }

    /// Terminals, logs and scripts read these English texts, so none may change by accident.
    void errors_of_control_keep_their_english_texts_data() {
        QTest::addColumn<QStringList>("args");
        QTest::addColumn<QString>("message");
        const auto add = [](const char* id, const QStringList& args, const char* message) {
            QTest::newRow(id) << args << QString::fromUtf8(message);
        };
        // types, state, protocol
        add("loss-not-finite", {"nan (head 'ads' is nan)"},
            "x: the loss is nan (head 'ads' is nan); lower train.lr, warm up (train.warmup_steps), set train.clip, or "
            "look for extreme values in the data");
        add("policy-breaker-time", {"breaker-open"},
            "x: the time must be from 500 ms to 3600 s; write e.g. breaker-open=30s, with ms or s");
        add("receipts-missing", {"3", "5", "6"},
            "x: receipts 3 to 5 are missing before receipt 6; export the receipts again with 'divisictl receipts --csv "
            "FILE'");
        add("no-node-with-memory", {"8 GiB", "4 GiB"},
            "x: no node has 8 GiB of memory for an instance; the largest has 4 GiB; ask for less memory, or use more "
            "stages");
        add("task-text-length", {"9", "8"},
            "x: has 9 bytes; the limit is 8 bytes; name fewer nodes in [split], or let a search choose the cuts");
        add("protocol-mismatch", {"2.0", "7", "8"},
            "x: it runs version 2.0 of Divisi with control protocol 7, but this program has control protocol 8; run "
            "the same Divisi version on all machines");
        // placement, agent, core
        add("no-ready-node-of-name", {"n-3", "n-1, n-2"}, "x: no ready node is called 'n-3'; ready nodes: n-1, n-2");
        add("instance-runs-already", {},
            "x: the instance runs already; submit the task again when this instance has ended");
        add("task-name-is-no-id", {"gpt-1, gpt-2"}, "x: no such task; this is the name of gpt-1, gpt-2; give the id");
        add("node-key-of-another", {"ann", "abc", "n-1"},
            "x: the key of 'ann' is not allowed to register as this node; use the node's own key, or allow this key "
            "under the node's name: divisictl keys add 'abc' --name n-1 --role agent");
        // queue, network, runs
        add("reservation-conflict", {"n-1", "4"},
            "x: n-1 is already reserved by reservation 4; choose another time or other nodes, or cancel that "
            "reservation: divisictl reserve cancel 4");
        add("no-such-link", {"mg-1", "sr-1, sr-2"}, "x: there is no such link; mg-1 has links to sr-1, sr-2");
        add("instance-did-not-return", {"its connection ended", "30"},
            "x: the instance is away (its connection ended, and it was not back within 30 s); see the log of the "
            "instance's node, then submit the task again");
        add("task-has-no-other-node", {"3", "10", "gpt-1/s0", "the disk is full", "n-1"},
            "x: it recovered 3 times within 10 minutes from faults of gpt-1/s0, and only node n-1 has the state to "
            "continue from; the last error: the disk is full; see the log of node n-1 and repair it, or give the task "
            "another node, then retry the task");
        // policy, change, dispatch
        add("policy-window-too-large", {"mg-1", "64 MiB"},
            "x: the window is larger than a quarter of the buffer of mg-1, which has 64 MiB; set a smaller window, or "
            "start that device with a larger --buffer-mib");
        add("recut-plan-late", {"5"},
            "x: the new plan was not ready within 5 minutes, and the task continues with its old plan; see in "
            "'divisictl logs' what the re-cut waited for, and ask again");
        add("message-about-another", {"instance_finished", "instance gpt-1/s0"},
            "x: the message instance_finished must come from instance gpt-1/s0, not from this sender; only "
            "instance gpt-1/s0 itself may send this message");
    }
    void errors_of_control_keep_their_english_texts() {
        QFETCH(QStringList, args);
        QFETCH(QString, message);
        std::vector<std::string> values;
        for (const QString& arg : args) values.push_back(arg.toStdString());
        const ErrorText* text = client::find_error(QTest::currentDataTag());
        QVERIFY(text);
        const Error error = make_error(*text, "x", values);
        QCOMPARE(QString::fromStdString(error.message()), message);
        QCOMPARE(error.id, std::string(text->id));
        QCOMPARE(error.args, values);
    }

    /// Before the errors had ids, these folders printed the same texts.
    void sample_errors_of_each_folder_have_the_expected_texts_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QStringList>("args");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* id, const QStringList& args, const char* text) {
            QTest::newRow(id) << QString::fromLatin1(id) << args << QString::fromUtf8(text);
        };
        row("out-of-range", {"0", "1", "1000000000"}, "= 0 is out of range; use 1 to 1000000000");
        row("value-not-known", {"1f1b2", "did you mean '1f1b'?"}, "= '1f1b2' is not known; did you mean '1f1b'?");
        row("unknown-key", {"stepz", "train", "did you mean 'steps'?"},
            "unknown key 'stepz' in [train]; did you mean 'steps'?");
        row("value-is-string", {"train.steps", "an integer"}, "train.steps is a string; write an integer");
        row("device-port-taken", {"7000", "head"},
            "= 7000 is already used on head; give each gateway and router of a host its own port, at least two above "
            "the "
            "previous one");
        row("too-few-layers", {"4 layers", "5 stages", "2", "2"},
            "4 layers cannot be cut into 5 stages with a minimum of 2 per stage; use 1 to 2 stages");
        row("no-secure-node", {"operator 'a'"},
            "operator 'a' is sensitive, but no node of the cluster is secure; in the cluster file, write secure = true "
            "for a [[mic.node]] that may see the data of the operator");
        row("cut-exceeds-memory", {"stage 2", "3 GiB", "node-1", "2 GiB"},
            "stage 2 would need 3 GiB of memory, but node-1 has only 2 GiB; use more micro-batches, recompute, or "
            "another "
            "node");
        row("tensor-slots-wait", {"a waits", "'v'", "stage 0", "2"},
            "the schedule deadlocks: a waits; give 'v' from stage 0 more than 2 tensor slots "
            "(split.slots), "
            "or use an order of passes that keeps fewer tensors waiting");
        row("no-operator-matches-in-scope", {"/a/x", "/a/b"},
            "no operator is called '/a/x'; a name in this scope is '/a/b'");
        row("zoo-size-out-of-range", {"layers", "0", "blocks", "1", "96"},
            "layers = 0 is out of range; give layers (blocks) from 1 to 96");
        row("model-field-too-long", {"12", "90", "4"},
            "is not a complete ONNX model: byte 12 announces 90 bytes, but only 4 follow; the file is truncated, "
            "damaged "
            "or of another kind; export or copy it again");
        row("newer-recording", {"3", "0.9", "2"},
            "the recording has layout 3; Divisi 0.9 reads up to 2; open the recording with the version of Divisi that "
            "wrote it, or a newer one");
        row("disk-full", {"write the file", "the disk is full"},
            "cannot write the file: the disk is full; free some space there, or use another folder; nothing was "
            "half-written");
        row("quote-within-field", {},
            "a quote begins within a field; follow RFC 4180: put quotes around the field, and double the quotes within "
            "it");
        row("not-connected-to-orchestrator", {},
            "not connected to the orchestrator; wait for the connection, then try again");
        row("weights-let-go", {"version 1"},
            "the weights of version 1 were deleted; name a version whose weights are kept; 'divisictl models' lists "
            "them");
    }

    void sample_errors_of_each_folder_have_the_expected_texts() {
        QFETCH(QString, id);
        QFETCH(QStringList, args);
        QFETCH(QString, text);
        const ErrorText* found = client::find_error(id.toStdString());
        QVERIFY(found);
        std::vector<std::string> values;
        for (const QString& arg : args) values.push_back(arg.toStdString());
        QCOMPARE(QString::fromStdString(make_error(*found, "", values).message()), text);
    }

    /// An argument may be a text of a catalogue itself, such as a suggestion.
    void argument_that_is_itself_a_message_is_translated() {
        QCOMPARE(
            reversed(make_error(*client::find_error("value-not-known"), "train.loss", {"mes", "did you mean 'mse'?"})),
            QStringLiteral("train.loss: [= 'mes' is not known]; [did you mean 'mse'?]"));
    }

    void subject_before_a_problem_is_not_translated() {
        const Error error =
            about("train.steps", make_error(*client::find_error("out-of-range"), "a.toml:3", {"0", "1", "9"}));
        QCOMPARE(reversed(error), QStringLiteral("a.toml:3: train.steps [= 0 is out of range]; [use 1 to 9]"));
    }

    /// Finding "use %1" by its text would match every text that begins with "use".
    void short_phrase_is_found_by_its_id_only() {
        const Error error =
            make_error(*client::find_error("no-output-of-model"), "train.losses.ads", {"ads", "logits"});
        QVERIFY(reversed(error).endsWith(QStringLiteral("; [use logits]")));
        QCOMPARE(reversed({ErrorCode::failed, "the task has no results", "", "use patience"}),
                 QStringLiteral("[the task has no results]; << use patience >>"));
    }

    void english_error_is_quoted_unchanged() {
        const Error error = checkpoint_error();
        QCOMPARE(error.message(), std::string("task gpt-1: the task has no checkpoint after step 7; the task has "
                                              "checkpoints after the steps 2, 4"));
        QCOMPARE(client::quoted(error), QString::fromStdString(error.message()));
    }

    /// The arguments of an error are known, so that a translation may use them in any order.
    void error_is_translated_by_its_id() {
        QCOMPARE(reversed(checkpoint_error()),
                 QStringLiteral("task gpt-1: [the task has no checkpoint after step 7]; [2, 4, not 7]"));
    }

    void additions_to_an_error_text_are_shown() {
        Error error = checkpoint_error();
        error.next += "; also x: it is late";
        QVERIFY(reversed(error).contains(QStringLiteral("it is late")));
        error.what += ", and more";
        QVERIFY(reversed(error).contains(QStringLiteral("7, and more")));
    }

    void error_of_an_older_peer_is_translated_by_its_texts() {
        Error error = checkpoint_error();
        error.id.clear();
        error.args.clear();
        QVERIFY(reversed(error).startsWith(QStringLiteral("task gpt-1: [the task has no checkpoint after step 7]; ")));
    }
};

DIVISI_TEST(ErrorCatalogueTest)

}  // namespace error_catalogue_test

#include "error_catalogue_test.moc"
