// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/model_loader.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include "app/client/refusal_text.h"

namespace divisi::model {

ModelLoader::ModelLoader(QObject* parent) : QObject(parent) {}

// A running worker has only a guarded pointer (QPointer), so its result is discarded after destruction.
ModelLoader::~ModelLoader() = default;

void ModelLoader::load(ModelSource source) {
    source_ = std::move(source);
    busy_ = true;
    const std::uint64_t request = ++request_;
    Q_EMIT started(source_.title());
    QThreadPool::globalInstance()->start([guard = QPointer<ModelLoader>(this), request, wanted = source_] {
        auto result = std::make_shared<Result<ModelPtr>>(load_model(wanted));
        // The application object lives in the GUI thread, the only thread that reads the guarded pointer.
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [guard, request, result] {
                if (guard) guard->finish(request, *result);
            },
            Qt::QueuedConnection);
    });
}

void ModelLoader::cancel() {
    if (!busy_) return;
    busy_ = false;
    ++request_;
    Q_EMIT cancelled();
}

void ModelLoader::finish(std::uint64_t request, const Result<ModelPtr>& result) {
    if (request != request_) return;
    busy_ = false;
    if (result.ok()) Q_EMIT loaded(*result);
    else Q_EMIT failed(source_.title(), client::quoted(result.error()));
}

}  // namespace divisi::model

#include "moc_model_loader.cpp"
