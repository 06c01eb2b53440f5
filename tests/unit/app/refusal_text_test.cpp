// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/refusal_text.h"

#include <QCoreApplication>
#include <QTest>
#include <QTranslator>

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
};

QTEST_GUILESS_MAIN(RefusalTextTest)
#include "refusal_text_test.moc"
